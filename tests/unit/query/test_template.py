from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.errors import TemplateError
from rag.query.template import parsed


def test_slots_are_filled_and_braces_can_be_written() -> None:
    template = parsed('{{"a": 1}} {context}{query}\n{context}!')
    assert template.filled("C", "Q") == '{"a": 1} CQ\nC!'


@given(st.text(), st.text())
def test_what_is_put_in_is_never_taken_for_a_slot(context: str, query: str) -> None:
    filled = parsed("<{query}|{context}>").filled(context + "{query}", query + "{context}")
    assert filled == f"<{query}{{context}}|{context}{{query}}>"


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{context}", "lacks the slot {query}"),
        ("{query}", "lacks the slot {context}"),
        ("", "lacks the slot {context}"),
        ("{context} {query} {user}", "has no slot {user}"),
        ("{context} {query} {}", "has no slot {}"),
        ("{context} {query!r}", "has no slot {query!r}"),
        ("{context} {query.__class__}", "has no slot {query.__class__}"),
        ("{context} {query} {", "single { at character 18"),
        ("} {context} {query}", "single } at character 0"),
        ("{context} {que{ry}", "single { at character 10"),
        ("{{context}} {query}", "lacks the slot {context}"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused_and_said_why(template: str, says: str) -> None:
    with pytest.raises(TemplateError) as refused:
        parsed(template)
    assert says in refused.value.message
    assert (refused.value.field, refused.value.code) == ("template", "TEMPLATE_ERROR")


@given(st.text(alphabet="{}ab", max_size=40))
def test_any_text_is_either_a_template_or_refused(text: str) -> None:
    with suppress(TemplateError):
        assert parsed(f"{text}{{context}}{{query}}").filled("C", "Q").endswith("CQ")
