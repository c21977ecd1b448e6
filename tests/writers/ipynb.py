"""A story as a Jupyter notebook: its code in cells of their own, with what it printed."""

from __future__ import annotations

import json
from typing import Any

from tests.writers import md
from tests.writers.story import Code, Element, Story


def write(story: Story) -> bytes:
    """The notebook."""
    metadata = {"title": story.title, "authors": [{"name": story.author}]}
    cells = [_cell(element) for element in story.elements]
    book = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1).encode()


def _cell(element: Element) -> dict[str, Any]:
    if isinstance(element, Code):
        output = {"output_type": "stream", "name": "stdout", "text": ["Noted.\n"]}
        return {"cell_type": "code", "source": element.text, "metadata": {}, "outputs": [output]}
    lines = md.element(element).splitlines(keepends=True)
    return {"cell_type": "markdown", "source": lines, "metadata": {}}
