"""Sentences that tell their reader what to do, as texts do that are meant for a language model.

A list of manners is never whole, and manuals have such sentences too: nothing is refused for
being on it. It only takes more for such a sentence to count as a source.
"""

from __future__ import annotations

import re
from unicodedata import normalize

_FORGET = (
    r"(?:ignore|disregard|forget|override|bypass|drop|set aside"
    r"|(?:do not|don['’]t) (?:use|follow|cite|answer|mention|say))"
)
_RULES = (
    r"(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|above|previous|prior|earlier"
    r"|context|sources?|questions?|sentences?|that you|anything|everything)"
)
_SAY = (
    r"(?:respond|reply|answer|output|print|repeat|write|say|tell|reveal|list|include|add|conclude"
    r"|begin|send|call|run|recommend|translate|rate|comply|cite|quote|give|approve|promise)"
)
_TO_WHOM = (
    r"(?:user|reader|answers?|response|question|word for word|only|exactly|nothing else"
    r"|instructions|system|tool|conversation|following|in french|to your)\b"
)
_MANNERS = (
    rf"\b{_FORGET}\b[^.\n]{{0,40}}\b{_RULES}\b",
    r"\b(?:do|must|should|shall|may) (?:not|never) (?:reveal|disclose|mention|tell|say|answer)\b",
    rf"\b{_SAY}\b[^.\n]{{0,60}}(?:\b{_TO_WHOM}|['\"])",
    rf"\b(?:when|whenever|if|once) (?:\w+ ){{0,3}}ask(?:s|ed)?\b[^.\n]{{0,120}}\b{_SAY}\b",
    rf"\byou (?:must|should|shall|have to)\b[^.\n]{{0,20}}\b{_SAY}\b[^.\n]{{0,20}}\bthat\b",
    r"\byou are now\b|\byou are an? (?:\w+ ){0,3}(?:assistant|ai|model|bot)\b",
    r"\b(?:as an ai|if you are an ai|act as|pretend to be|from now on|from here on)\b",
    r"\b(?:switch to \w+|developer|maintenance) mode\b",
    r"\bsystem (?:prompt|message)\b|\bnew (?:instructions?|rule|task|system)\b|\boverride\b",
    r"\byour (?:new )?(?:instructions?|task|guidelines|configuration)\b",
    r"\b(?:language model|llm|note to the (?:ai|model)|dear model|ai assistant|chatbot)\b",
    r"^[^\S\n]*+[\[<{#*`|]*+[^\S\n]*+"
    r"(?:system|assistant|user|human|inst|instruction|admin|ai)\b\s*+[:\]>|}]",
    r"<\|im_(?:start|end)\|>|\[/?INST\]|</?(?:source|system|context)",
    r"=== ?(?:end|retrieved) context",
    r"\b(?:[a-z] {1,3}){5}[a-z]\b",  # s p a c e d, not to be recognised
    r"\b(?:ignoriere|ignorez|ignora)\b|忽略",
)
_DIRECTS = re.compile("|".join(_MANNERS), re.IGNORECASE | re.MULTILINE)
# Put between letters, so that no list knows the word.
_UNSEEN = re.compile(r"[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def directs(sentence: str) -> bool:
    """Whether a sentence seems to give orders to whoever reads it."""
    read = sentence if sentence.isascii() else normalize("NFKC", _UNSEEN.sub("", sentence))
    return _DIRECTS.search(read) is not None
