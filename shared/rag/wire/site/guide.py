"""The project's documentation as pages of a small web site."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from rag.query.sources import slug

README, DECISIONS = "README.md", "decisions"
GUIDE, REASONS = "Guide", "Why it is so"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the documentation, in Markdown."""

    name: str  # in its address
    title: str
    text: str
    group: str

    @property
    def url(self) -> str:
        """Where it is, below the site's root."""
        return f"guide/{self.name}"


def pages(folder: Path) -> tuple[Page, ...]:
    """The README, a page for each of its chapters, and the records of what was decided."""
    readme = (folder / README).read_text("utf-8")
    reasons = sorted((folder / DECISIONS).glob("*.md"))
    return (
        *(_page(text, GUIDE) for text in _chapters(readme)),
        *(_page(path.read_text("utf-8"), REASONS, f"why-{path.stem}") for path in reasons),
    )


def _page(text: str, group: str, name: str | None = None) -> Page:
    title = text.partition("\n")[0].lstrip("# ")
    return Page(name or unquote(slug(title)), title, text, group)


def _chapters(text: str) -> Iterator[str]:
    """What comes first, and then each chapter from its heading of the second level on."""
    lines: list[str] = []
    fenced = False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            yield "".join(lines)
            lines = []
        lines.append(line)
    yield "".join(lines)
