"""Formulas of Office and of MathML, which are much alike."""

from __future__ import annotations

from xml.etree.ElementTree import Element


def in_line(formula: Element) -> str:
    """A formula as it is typed: "(a+b)/2"."""
    parts = [in_line(part) for part in formula if not part.tag.endswith("Pr")]
    match formula.tag, parts:
        case (("t" | "mi" | "mn" | "mo" | "mtext"), _):
            return formula.text or ""
        case (("f" | "mfrac"), [above, below]):
            return f"{_one(above)}/{_one(below)}"
        case (("sSub" | "msub" | "munder" | "limLow"), [base, down]):
            return f"{base}_{_one(down)}"
        case (("sSup" | "msup" | "mover" | "limUpp"), [base, up]):
            return f"{base}^{_one(up)}"
        case (("sSubSup" | "msubsup" | "munderover"), [base, down, up]):
            return f"{base}_{_one(down)}^{_one(up)}"
        case "nary", [down, up, body]:
            scope = "".join(f"{sign}{_one(end)}" for sign, end in (("_", down), ("^", up)) if end)
            return f"{_sign(formula, 'naryPr/chr', '∫')}{scope} {body}"
        case "rad", [degree, body]:
            return f"{degree}√{_one(body)}"
        case "msqrt", _:
            return f"√{_one(''.join(parts))}"
        case "d", _:
            begin, end = _sign(formula, "dPr/begChr", "("), _sign(formula, "dPr/endChr", ")")
            return f"{begin}{', '.join(parts)}{end}"
        case (("m" | "mtable" | "eqArr"), _):
            return "; ".join(parts)
        case (("mr" | "mtr"), _):
            return " ".join(parts)
        case (("annotation" | "annotation-xml" | "del"), _):
            return ""
    return "".join(parts)


def _one(text: str) -> str:
    """In brackets, if it would be taken for several."""
    return text if len(text) < 2 or text.isalnum() or text[0] + text[-1] == "()" else f"({text})"


def _sign(formula: Element, name: str, usual: str) -> str:
    found = formula.find(name)
    return usual if found is None else found.get("val", "")
