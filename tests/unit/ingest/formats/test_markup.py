from __future__ import annotations

import pytest

from rag.errors import Unreadable
from rag.ingest.formats import markup
from rag.ingest.formats.markup import MOST_ATTRIBUTES, MOST_OPEN

MANY = MOST_OPEN + 1


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * MANY,
        "<DIV\n>" * MANY,
        "<b>x" * MANY,
        "<ul><li>" * MANY,
        "<table><tr><td>" * MANY,
        "<div></span>" * MANY,
        "<div title='</div>'>" * MANY,
        "<div><!-- </div> -->" * MANY,
        "<!--><div>" * MANY,
        "<div/>" * MANY,
        "<p>" + "<i>" * MANY + "</i>" * MANY,
    ],
)
def test_a_page_that_is_nested_beyond_reason_is_not_parsed(page: str) -> None:
    with pytest.raises(Unreadable, match="nested too deeply"):
        markup.tree(page)


@pytest.mark.parametrize(
    "element",
    [
        "<div>x</div>",
        "<p>x",
        "<li>x",
        "<tr><td>x",
        "<br>",
        "<img src=x />",
        "<a name=x>",
        "<svg><path d='M0' /></svg>",
        "x < y ",
    ],
)
def test_a_long_page_is_parsed(element: str) -> None:
    assert markup.tree(element * MANY).body is not None


def test_a_deep_page_is_read() -> None:
    deep = MOST_OPEN - 1
    assert [block.text for block in markup.body("<div>" * deep + "x" + "</div>" * deep)] == ["x"]


@pytest.mark.parametrize("attribute", [" a=1", "/b", " a='1'", 'a="1/"', "\nabc "])
def test_a_tag_of_more_attributes_than_any_has_is_not_parsed(attribute: str) -> None:
    with pytest.raises(Unreadable, match="attributes"):
        markup.tree(f"<p>x<br {attribute * MOST_ATTRIBUTES}>")


def test_a_long_tag_is_parsed() -> None:
    path = "M 1 2 " * 4 * MOST_ATTRIBUTES
    page = f"<svg><path d='{path}'/></svg><img src=data:{'a/b' * 2 * MOST_ATTRIBUTES}><p>x"
    assert [block.text for block in markup.body(page)] == ["x"]


def test_an_element_of_xml_may_be_empty() -> None:
    page = '<html><head><title/></head><body><p>a<a id="1"/><br/>b</p><script src="x" /><p>c'
    assert markup.body(page) == []
    assert [block.text for block in markup.body(page, xml=True)] == ["a\nb", "c"]
    declared = '<?xml version="1.0"?>' + page
    assert [block.text for block in markup.body(declared)] == ["a\nb", "c"]


def test_nothing_is_a_page_without_text() -> None:
    assert markup.body("") == []
    assert markup.body("<frameset><frame src=x></frameset>") == []
