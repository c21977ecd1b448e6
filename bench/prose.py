"""Prose by Zipf's law, the same in every run: made of a list of words and a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate

from eval.beir import Article

TOPICS, TOPIC_WORDS = 100, 150
COMMON = 300  # so many of the commonest words belong to no topic
ON_TOPIC = 0.35
STOPS = (". ", ". ", ". ", ".\n\n")


class Words:
    """Words from the commonest to the rarest."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._weights = list(accumulate(1 / (rank + 1) for rank in range(len(words))))

    def draw(self, rng: random.Random, count: int) -> list[str]:
        """So many words, common ones often."""
        return rng.choices(self._words, cum_weights=self._weights, k=count)


def sentence(words: Sequence[str], glue: str = " ", stop: str = ". ") -> str:
    """The words, dressed as a sentence."""
    text = glue.join(words)
    return text[0].upper() + text[1:] + stop


class Author:
    """Writes articles and asks questions, each about one of a hundred topics."""

    def __init__(self, vocabulary: Sequence[str], seed: int = 7) -> None:
        self._rng = random.Random(seed)
        self._language = Words(vocabulary)
        self._topics = [
            Words(self._rng.sample(vocabulary[COMMON:], TOPIC_WORDS)) for _ in range(TOPICS)
        ]

    def article(self, id: str, length: int = 200) -> Article:
        """An article of at least so many words."""
        topic = self._rng.choice(self._topics)
        text = ""
        while length > 0:
            words = self._words(topic, self._rng.randint(8, 30))
            length -= len(words)
            text += sentence(words, stop=self._rng.choice(STOPS))
        return Article(id, sentence(topic.draw(self._rng, 6), stop=""), text.strip())

    def questions(self) -> Iterator[str]:
        """Questions without end, none of them twice."""
        asked = set[str]()
        while True:
            topic = self._rng.choice(self._topics)
            question = sentence(self._words(topic, self._rng.randint(6, 12)), stop="?")
            if question not in asked:
                asked.add(question)
                yield question

    def _words(self, topic: Words, count: int) -> list[str]:
        on_topic = sum(self._rng.random() < ON_TOPIC for _ in range(count))
        words = topic.draw(self._rng, on_topic) + self._language.draw(self._rng, count - on_topic)
        self._rng.shuffle(words)
        return words
