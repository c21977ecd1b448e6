"""A story as Markdown, with front matter."""

from __future__ import annotations

from collections.abc import Sequence

from tests.writers.story import Code, Element, Heading, Items, Paragraph, Quote, Story, Table


def write(story: Story) -> bytes:
    """The text."""
    front = f"---\ntitle: {story.title}\nauthor: {story.author}\ndate: {story.created}\n---\n\n"
    return (front + body(story)).encode()


def body(story: Story) -> str:
    """The text without its front matter."""
    return "\n\n".join(map(element, story.elements)) + "\n"


def element(element: Element) -> str:
    """One element of a story."""
    match element:
        case Heading(level, text):
            return f"{'#' * level} {text}"
        case Paragraph(text):
            return text
        case Items(texts):
            return "\n".join(f"- {text}" for text in texts)
        case Quote(text):
            return f"> {text}"
        case Code(text):
            return f"```sh\n{text}\n```"
        case Table(header, rows):
            rule = ["---"] * len(header)
            return "\n".join(map(_row, (header, rule, *rows)))


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"
