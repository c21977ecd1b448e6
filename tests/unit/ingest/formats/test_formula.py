from __future__ import annotations

import pytest

from rag.ingest.formats.formula import in_line
from rag.ingest.formats.package import tree


@pytest.mark.parametrize(
    ("formula", "line"),
    [
        ("<f><num><t>a+b</t></num><den><t>2</t></den></f>", "(a+b)/2"),
        ("<f><fPr/><num><t>mλ</t></num><den><t>(c)</t></den></f>", "mλ/(c)"),
        ("<sSup><sSupPr/><e><t>x</t></e><sup><t>-1</t></sup></sSup>", "x^(-1)"),
        ("<sSubSup><e><t>x</t></e><sub><t>i</t></sub><sup><t>2</t></sup></sSubSup>", "x_i^2"),
        (
            '<nary><naryPr><chr val="∑"/></naryPr><sub><t>i=1</t></sub><sup><t>n</t></sup>'
            "<e><t>x</t></e></nary>",
            "∑_(i=1)^n x",
        ),
        ("<nary><sub/><sup/><e><t>x</t></e></nary>", "∫ x"),
        ("<r><rPr><t>no</t></rPr><t>f</t><d><e><t>x</t></e><e><t>y</t></e></d></r>", "f(x, y)"),
        ('<d><dPr><begChr val="["/><endChr val=""/></dPr><e><t>x</t></e></d>', "[x"),
        ("<rad><deg/><e><t>x+1</t></e></rad>", "√(x+1)"),
        ("<m><mr><e><t>1</t></e><e><t>2</t></e></mr><mr><e><t>3</t></e></mr></m>", "1 2; 3"),
        ("<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>", "a/(b+1)"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", "∑_i^n"),
        ("<msqrt><mi>x</mi></msqrt>", "√x"),
        ("<semantics><mi>x</mi><annotation>x sub</annotation></semantics>", "x"),
        ("<f><num/></f>", ""),
    ],
)
def test_a_formula_is_written_as_it_is_typed(formula: str, line: str) -> None:
    assert in_line(tree(formula.encode())) == line
