from __future__ import annotations

import pytest

from rag.ingest.formats import markup
from rag.ingest.formats.block import Block
from rag.ingest.formats.flow import LONGEST_ITEM


def told(page: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in markup.body(page)]


def test_white_space_means_nothing_but_between_words() -> None:
    page = "<p>\n  One <b>w</b>ord\n\tand&nbsp;\n<i> another</i> </p>"
    assert told(page) == [("paragraph", "One word and another")]


def test_blocks_end_where_their_elements_do() -> None:
    page = "loose<p>one<div>two<section>three</section>four</div><p>five<hr>six"
    assert [text for _, text in told(page)] == "loose one two three four five six".split()


def test_a_line_that_is_broken_on_purpose_stays_so() -> None:
    assert told("<p>12 Mill Lane<br>\nOtterton<br><br>England</p>") == [
        ("paragraph", "12 Mill Lane\nOtterton\nEngland")
    ]


def test_headings_have_their_level_and_are_whole() -> None:
    page = "<h2><div>The</div> <div>newt<br>pond</div></h2><p>x"
    assert markup.body(page) == [Block("heading", "The newt\npond", 2), Block("paragraph", "x")]


def test_a_sign_that_leads_to_its_own_place_is_not_read() -> None:
    page = '<h1>Newts <a href="#newts">¶</a></h1><p>Wet<a href="#n1">1</a> <a href="#b">↩</a>'
    assert told(page) == [("heading", "Newts"), ("paragraph", "Wet1")]


def test_an_item_is_whole_and_knows_how_deep_it_is() -> None:
    page = """<ol><li><p>One</p><p>and more</p>
        <ul><li>Inner<ul><li>Innermost</ul></ul>after</li><li>Two</li></ol>"""
    assert markup.body(page) == [
        Block("item", "One\nand more", 0, number="1."),
        Block("item", "Inner", 1),
        Block("item", "Innermost", 2),
        Block("item", "after", 0),
        Block("item", "Two", 0, number="2."),
    ]


def numbers(page: str) -> list[str]:
    return [block.number for block in markup.body(page)]


@pytest.mark.parametrize(
    ("attributes", "shown"),
    [
        ("", "1. 2. 3."),
        ("start=9", "9. 10. 11."),
        ("start=-1", "-1. 0. 1."),
        ("start=x", "1. 2. 3."),
        ("reversed", "3. 2. 1."),
        ("reversed start=10", "10. 9. 8."),
        ("type=a", "a. b. c."),
        ("type=I start=3", "III. IV. V."),
        ("style='margin: 0; list-style-type: LOWER-alpha'", "a. b. c."),
        ("style='list-style: none'", ""),
    ],
)
def test_ordered_lists_count_as_they_say(attributes: str, shown: str) -> None:
    page = f"<ol {attributes}><li>x<li>x\n<li>x</ol>"
    assert numbers(page) == (shown.split() or [""] * 3)


def test_an_item_may_tell_its_number() -> None:
    assert numbers("<ol><li>x<li value=7>x<li>x<li value=''>x</ol>") == ["1.", "7.", "8.", "9."]


def test_lists_count_each_for_itself() -> None:
    page = """<ol><li>x<ol type=i><li>x<li>x</ol>more<li hidden>x<li>x<ul><li>x</ul>
        <dl><dt>x<dd>y</dl><li>x</ol><ol><li><li>x</ol><li>x"""
    shown = ["1.", "i.", "ii.", "", "2.", "", "", "3.", "2.", ""]
    assert numbers(page) == shown


def test_lists_in_cells_keep_their_numbers() -> None:
    page = "<table><tr><td><ol><li>a<li>b</ol><td>c<tr><td>d<td><ul><li>e<li>f</ul></table>"
    assert [text for _, text in told(page)] == ["| 1. a 2. b | c |", "| d | e f |"]


def test_a_list_that_holds_pages_is_not_one_item_each() -> None:
    long = "x" * LONGEST_ITEM
    assert told(f"<ul><li><p>{long}<p>more") == [("item", long), ("item", "more")]


def test_a_term_and_what_it_means_are_one_item() -> None:
    page = "<dl><dt>Eft<dd>A newt on land<dd>Or young<dt>Olm<dd>Blind</dl>"
    assert told(page) == [("item", "Eft\nA newt on land\nOr young"), ("item", "Olm\nBlind")]


def test_code_keeps_its_lines() -> None:
    page = "<pre>\n<code><span>if x:</span>\n    <b>y</b><br>z\n</code></pre>"
    assert told(page) == [("code", "if x:\n    y\nz")]


def test_code_whose_lines_are_elements_is_one_block() -> None:
    page = "<pre><div>if x:</div><div>    y</div></pre><p>x <code>y</code>"
    assert told(page) == [("code", "if x:\n    y"), ("paragraph", "x y")]


def test_quotes_are_told_apart() -> None:
    page = "<blockquote>One<p>two</blockquote><p>He said <q>three</q>."
    assert told(page) == [("quote", "One"), ("quote", "two"), ("paragraph", "He said “three”.")]


@pytest.mark.parametrize(
    "element",
    [
        "<script>x</script>",
        "<style>x</style>",
        "<template><p>x</p></template>",
        "<noscript>x</noscript>",
        "<svg><title>x</title><text>x</text></svg>",
        "<iframe>x</iframe>",
        "<button>x</button>",
        "<select><option>x</select>",
        "<textarea>x</textarea>",
        "<!-- x -->",
        "<div hidden>x</div>",
        '<span aria-hidden="true">x</span>',
        '<b style="color: red; Display : none">x</b>',
        "<ul><li style='visibility:hidden'>x</ul>",
    ],
)
def test_what_is_not_seen_is_not_read(element: str) -> None:
    assert told(f"<p>before</p>{element}<p>after</p>") == [
        ("paragraph", "before"),
        ("paragraph", "after"),
    ]


def test_what_a_search_can_open_is_seen() -> None:
    page = '<div hidden="until-found">a</div><details><summary>b</summary>c</details>'
    assert [text for _, text in told(page)] == ["a", "b", "c"]


def test_a_table_has_its_header_and_whole_rows() -> None:
    page = """<table><caption>Food</caption><tr><th>Animal<th>Grams<tr><td><p>Eft</p><p>(young)
        <td>2|3<tr><td><ul><li>Olm<li>Proteus</ul><td></table><p>after"""
    assert told(page) == [
        ("paragraph", "Food"),
        ("header", "| Animal | Grams |"),
        ("row", "| Eft (young) | 2\\|3 |"),
        ("row", "| Olm Proteus |  |"),
        ("paragraph", "after"),
    ]


def test_a_table_of_names_and_values_has_no_header() -> None:
    page = "<table><tr><th>Name<td>Olm<tr><th>Grams<td>20</table>"
    assert told(page) == [("row", "| Name | Olm |"), ("row", "| Grams | 20 |")]


@pytest.mark.parametrize(
    "table",
    [
        "<table><tr><td>{}</table>",
        "<table><tr><td>{}<tr><td></table>",
        "<table><tr><td><td>{}</table>",
        "<table><tr><td>{}<td><table><tr><td></table><tr><td><td></table>",
        "<table role=presentation><tr><td>{}<td><tr><td><td></table>",
    ],
)
def test_a_table_that_only_places_things_is_not_one(table: str) -> None:
    assert told(table.format("<p>One<ul><li>two</ul>")) == [("paragraph", "One"), ("item", "two")]


def test_headings_in_a_table_are_headings() -> None:
    page = "<table><tr><td><h2>News</h2>a<td>b<tr><td>c<td>d</table>"
    assert told(page)[0] == ("heading", "News")


def test_an_item_with_a_heading_is_a_part_of_the_page() -> None:
    page = "<ul><li><h2>Tanks</h2><p>Large</p><ul><li>Glass</ul></li><li>Ponds</ul>"
    assert markup.body(page) == [
        Block("heading", "Tanks", 2),
        Block("paragraph", "Large"),
        Block("item", "Glass", 0),
        Block("item", "Ponds", 0),
    ]


def test_pictures_say_what_they_show_unless_they_are_links() -> None:
    page = '<p>See <img alt="a newt"><img alt="newt.PNG"><a href=x><img alt="logo">home</a>'
    assert told(page) == [("paragraph", "See a newt home")]


def test_a_formula_is_read_as_it_was_written() -> None:
    written = '<annotation encoding="application/x-tex">\\frac{x}{2}</annotation>'
    page = f"<p>So <math><mi>x</mi>{written}</math>, <math alttext='y^2'><mi>y</mi></math>"
    assert told(page) == [("paragraph", "So \\frac{x}{2} , y^2")]
    assert told("<p><math><mi>z</mi></math>") == [("paragraph", "z")]


def test_hyphens_that_only_show_where_to_break_are_dropped() -> None:
    assert told("<p>sala&shy;man&shy;der") == [("paragraph", "salamander")]
