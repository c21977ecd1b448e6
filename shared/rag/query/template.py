"""Prompts of the caller's making: `{context}` and `{query}` are slots, `{{` and `}}` are braces."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag.errors import TemplateError

SLOTS = ("context", "query")

_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_LONGEST_NAME = 40  # that an error repeats


@dataclass(frozen=True, slots=True)
class Template:
    """A template taken apart: texts, and between each two of them a slot."""

    texts: tuple[str, ...]
    slots: tuple[str, ...]

    def filled(self, context: str, query: str) -> str:
        """The prompt. What is put in is not looked at again: a slot in a document is just text."""
        values = {"context": context, "query": query}
        parts = [self.texts[0]]
        for slot, text in zip(self.slots, self.texts[1:], strict=True):
            parts += values[slot], text
        return "".join(parts)


def parsed(template: str) -> Template:
    """Take a template apart. Raises TemplateError, which names the slot or the place."""
    texts, slots = [""], list[str]()
    end = 0
    for brace in _BRACES.finditer(template):
        texts[-1] += template[end : brace.start()]
        end = brace.end()
        if brace.group() in ("{{", "}}"):
            texts[-1] += brace.group()[0]
        elif brace[1] is None:
            raise _wrong(
                f"has a single {brace.group()} at character {brace.start()};"
                f" write {brace.group() * 2} for one that is no slot's"
            )
        else:
            slots.append(_known(brace[1]))
            texts.append("")
    texts[-1] += template[end:]
    for slot in SLOTS:
        if slot not in slots:
            raise _wrong(f"lacks the slot {{{slot}}}")
    return Template(tuple(texts), tuple(slots))


def _known(slot: str) -> str:
    if slot not in SLOTS:
        name = slot[:_LONGEST_NAME]
        raise _wrong(f"has no slot {{{name}}}; its slots are {{context}} and {{query}}")
    return slot


def _wrong(what: str) -> TemplateError:
    return TemplateError("template", f"template {what}")
