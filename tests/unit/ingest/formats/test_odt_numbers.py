"""What LibreOffice counts by itself is read as it shows it."""

from __future__ import annotations

import pytest

from rag.ingest.formats import read
from rag.ingest.formats.odt_numbers import LONGEST
from rag.model import Parsed
from tests.writers.odt import package, paragraph


def style(*levels: str, name: str = "L1") -> str:
    return f'<text:list-style style:name="{name}">{"".join(levels)}</text:list-style>'


def level(number: int, kind: str = "1", says: str = 'style:num-suffix="."') -> str:
    return f'<text:list-level-style-number text:level="{number}" style:num-format="{kind}" {says}/>'


def listed(*entries: str, says: str = 'text:style-name="L1"') -> str:
    return f"<text:list {says}>{''.join(entries)}</text:list>"


def item(*inside: str, says: str = "") -> str:
    return f"<text:list-item {says}>{''.join(inside) or paragraph('x')}</text:list-item>"


def heading(text: str, level: int, says: str = "") -> str:
    return f'<text:h text:outline-level="{level}" {says}>{text}</text:h>'


def parsed(body: str, styles: str) -> Parsed:
    return read("odt", package(body, styles=styles))


def signs(body: str, styles: str) -> list[str]:
    """What each item begins with."""
    lines = parsed(body, styles).text.splitlines()
    return [line.rpartition(" ")[0].strip() for line in lines if line]


X = paragraph("x")
DEEP = style(
    level(1),
    level(2, "a", 'style:num-suffix=")" text:start-value="2"'),
    level(3, "I", 'style:num-prefix="(" style:num-suffix=")" text:display-levels="3"'),
)


def test_levels_count_in_their_figures_and_deeper_ones_restart() -> None:
    inner = listed(item(), item(X, listed(item(), says="")), says="")
    body = listed(item(X, inner), item(X, inner))
    once = ["b)", "c)", "- ({}.c.I)"]
    assert signs(body, DEEP) == [
        *("1.", *(sign.format(1) for sign in once)),
        *("2.", *(sign.format(2) for sign in once)),
    ]


def test_only_the_first_paragraph_of_an_item_has_its_number_and_headers_have_none() -> None:
    header = f"<text:list-header>{X}</text:list-header>"
    assert signs(listed(header, item(X, X), item()), DEEP) == ["-", "1.", "-", "2."]


def test_an_item_may_tell_its_number() -> None:
    body = listed(item(), item(says='text:start-value="7"'), item())
    assert signs(body, DEEP) == ["1.", "7.", "8."]


def test_a_list_begins_anew_unless_it_goes_on_with_another() -> None:
    named = 'text:style-name="L1" '
    body = X.join(
        [
            listed(item(), says=named + 'xml:id="a"'),
            listed(item(), says=named + 'xml:id="b"'),
            listed(item(), says=named + 'text:continue-numbering="true"'),
            listed(item(), says=named + 'text:continue-list="a"'),
            listed(item(), says=named + 'text:continue-list="unknown"'),
            listed(item()),
        ]
    )
    assert [sign for sign in signs(body, DEEP) if sign] == ["1.", "1.", "2.", "2.", "1.", "1."]


def test_a_list_inside_goes_on_if_it_says_so() -> None:
    goes_on = 'text:continue-numbering="true"'
    body = listed(
        item(X, listed(item(), says="")),
        item(listed(item(), says=goes_on)),
        item(listed(item(), says="")),
        item(),
    )
    assert signs(body, DEEP) == ["1.", "b)", "c)", "b)", "2."]


def test_bullets_and_lists_that_nobody_defined_have_no_number() -> None:
    bullets = style('<text:list-level-style-bullet text:level="1" text:bullet-char="•"/>')
    assert signs(listed(item()) + X + listed(item(), says=""), bullets) == ["-", "", "-"]


OUTLINE = (
    "<text:outline-style>"
    '<text:outline-level-style text:level="1" style:num-format="1"/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
    '<text:outline-level-style text:level="3" style:num-format=""/></text:outline-style>'
    '<style:style style:name="Bare" style:list-style-name=""/>'
)


def test_headings_are_numbered_by_the_outline_and_so_are_their_sections() -> None:
    body = (
        heading("Newts", 1)
        + heading("Housing", 2)
        + heading("Index", 2, 'text:is-list-header="true"')
        + heading("Notes", 2, 'text:style-name="Bare"')
        + heading("Feeding", 2)
        + heading("Larvae", 3)
        + heading("Olms", 1, 'text:restart-numbering="true" text:start-value="7"')
    )
    found = parsed(body, OUTLINE)
    assert found.text.split("\n\n") == [
        *("# 1 Newts", "## 1.1 Housing", "## Index", "## Notes", "## 1.2 Feeding", "### Larvae"),
        "# 7 Olms",
    ]
    assert found.marks[5].section == ("1 Newts", "1.2 Feeding", "Larvae")


def test_a_heading_in_a_list_is_numbered_by_that() -> None:
    body = listed(item(heading("Newts", 1))) + heading("Olms", 1)
    assert parsed(body, DEEP + OUTLINE).text == "# 1. Newts\n\n# 1 Olms"


@pytest.mark.parametrize(
    "levels",
    [
        "",
        '<text:list-level-style-number text:level="0" style:num-format="1"/>',
        '<text:list-level-style-number text:level="999999999" style:num-format="1"/>',
        "<text:list-level-style-number/>",
        level(1, ""),
    ],
)
def test_a_style_that_makes_no_sense_numbers_nothing(levels: str) -> None:
    assert signs(listed(item()), style(levels)) == ["-"]


def test_numbers_stay_short_whatever_is_around_them() -> None:
    around = "(" * 1000
    says = f'style:num-prefix="{around}" style:num-suffix="{around}" text:display-levels="99999999"'
    (sign,) = signs(listed(item()), style(level(1, says=says)))
    assert sign == f"- {'(' * LONGEST}1{'(' * LONGEST}"


def test_lists_deeper_than_levels_go_count_on_at_the_last() -> None:
    inner = listed(item())
    for _ in range(60):
        inner = listed(item(X, inner))
    found = signs(inner, style(*(level(number) for number in range(1, 11))))
    assert found == ["1."] * 9 + [f"{number}." for number in range(2, 54)]
