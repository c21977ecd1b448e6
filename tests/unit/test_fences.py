"""Code between fences."""

from __future__ import annotations

import pytest

from rag.fences import fences


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("before\n```sh\nls\n```\nafter", ["```sh\nls\n```\n"]),
        ("~~~\na\n```\nb\n~~~\n", ["~~~\na\n```\nb\n~~~\n"]),
        ("````\n```\n````", ["````\n```\n````"]),
        ("```\nopen to the end", ["```\nopen to the end"]),
        ("```\na\n```\n\n```\nb\n```", ["```\na\n```\n", "```\nb\n```"]),
        ("`one` line, and    ```indented", []),
        ("", []),
    ],
)
def test_code_runs_from_fence_to_fence(text: str, codes: list[str]) -> None:
    assert [text[span.start : span.end] for span in fences(text)] == codes
