"""Speed and exactness of our chunker beside its peers: `python -m bench.chunker [--peers]`.

The peers live in a virtual environment of their own, beside `numpy` and `rs-bpe`: run this with
its Python and `shared:.` on PYTHONPATH. Those that are missing are skipped. Whoever takes a
counter gets ours, which is faster than `tiktoken`, so that ways of chunking are compared.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from bench.prose import Words, sentence
from rag import tokens
from rag.ingest.chunk import windows

SIZE = 512
OVERLAP = 50
MEGABYTE = 1_000_000

ENGLISH = (
    "the of and to in is that for it as was with be by on not this are or from at which but have "
    "an they you were their one all we can has more when there time so no people than other some "
    "system water energy process although government retrieval measurement temperature between "
    "development information different important through experiment approximately boundary layer"
)
GERMAN = (
    "der die das und in zu den mit von ist des auf für nicht ein eine als auch es an werden aus er "
    "hat dass sie nach wird bei einer um am sind noch wie einem über einen Straße Übergang Größe "
    "Geschwindigkeit Rechtsschutzversicherung Donaudampfschifffahrt Verfügbarkeit Zusammenhang"
)
JAPANESE = "の に は を た が で て と し れ さ ある いる する から 日本 東京 検索 文書 回答 技術"
CODE = (
    "def {a}(self, {b}: int) -> None:\n    for {a} in range({b}):\n        total += {a}[{b}]\n",
    'if {a} != "{b}":\n    raise ValueError(f"{{{a}}} is not {b}")\n',
    "const {a} = async ({b}) => {{\n  return await fetch(`/api/{a}/${{{b}}}`);\n}};\n",
    "SELECT {a}, COUNT(*) FROM {b} WHERE {a} > 42 GROUP BY {a};\n",
)
EMOJI = "😀 🎉 👩‍👩‍👧 🇩🇪 👍🏽 ❤️ 🚀 🧑‍💻"

Located = tuple[int | None, str]  # where a chunk claims to begin, and its text
Chunker = Callable[[str], list[Located]]


@dataclass(frozen=True)
class Measure:
    """What one chunker did to one text."""

    seconds: float
    chunks: int
    tokens: float
    overruns: int
    misplaced: int


def spoken(rng: random.Random, words: Words, glue: str = " ", stop: str = ". ") -> str:
    """A sentence of 5 to 30 words."""
    return sentence(words.draw(rng, rng.randint(5, 30)), glue, stop)


def mixed(size: int, seed: int = 7) -> str:
    """English, German, Japanese, code and emoji, in paragraphs, of about `size` bytes."""
    rng = random.Random(seed)
    names = ENGLISH.split()
    english, german, japanese = Words(names), Words(GERMAN.split()), Words(JAPANESE.split())
    blocks: list[str] = []
    written = 0
    while written < size:
        length = rng.randint(2, 8)
        kind = rng.random()
        if kind < 0.5:
            block = "".join(spoken(rng, english) for _ in range(length))
        elif kind < 0.65:
            block = "".join(spoken(rng, german) for _ in range(length))
        elif kind < 0.8:
            block = "".join(spoken(rng, japanese, "", "。") for _ in range(length))
        elif kind < 0.95:
            drawn = [rng.choice(names) + str(rng.randint(0, 99)) for _ in range(2 * length)]
            pairs = zip(drawn[::2], drawn[1::2], strict=True)
            block = "```\n" + "".join(rng.choice(CODE).format(a=a, b=b) for a, b in pairs) + "```"
        else:
            block = " ".join(rng.choices(EMOJI.split(), k=10 * length))
        blocks.append(block + "\n\n")
        written += len(blocks[-1].encode())
    return "".join(blocks)


def hostile() -> dict[str, str]:
    """A megabyte each of what makes a tokenizer or a splitter quadratic."""
    rng = random.Random(7)
    base64 = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
    return {
        "one letter": "a" * MEGABYTE,
        "emoji": "😀" * (MEGABYTE // 4),
        "spaces": " " * MEGABYTE,
        "newlines": "\n" * MEGABYTE,
        "dots": "." * MEGABYTE,
        "base64": "".join(rng.choices(base64, k=MEGABYTE)),
        "kanji": "漢字検索" * (MEGABYTE // 12),
        "combining marks": "e" + "\u0301" * (MEGABYTE // 2),
    }


def ours() -> Chunker:
    """The chunker of this repository."""
    return lambda text: [(chunk.start, chunk.text) for chunk in windows(text, SIZE, OVERLAP)]


def langchain() -> Chunker:
    """langchain-text-splitters' recursive splitter."""
    splitter = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter(
        chunk_size=SIZE,
        chunk_overlap=OVERLAP,
        length_function=tokens.count,
        add_start_index=True,
    )

    def split(text: str) -> list[Located]:
        found = splitter.create_documents([text])
        return [(chunk.metadata["start_index"], chunk.page_content) for chunk in found]

    return split


def semchunk() -> Chunker:
    """semchunk, with its offsets."""
    chunker = import_module("semchunk").chunkerify(lambda text: tokens.count(text), SIZE)

    def split(text: str) -> list[Located]:
        chunks, spans = chunker(text, overlap=OVERLAP, offsets=True)
        return [(start, chunk) for chunk, (start, _) in zip(chunks, spans, strict=True)]

    return split


def semantic_text_splitter() -> Chunker:
    """semantic-text-splitter, with the cl100k encoder that is built into it."""
    library = import_module("semantic_text_splitter")
    splitter = library.TextSplitter.from_tiktoken_model("gpt-4", SIZE, OVERLAP)
    return lambda text: list(splitter.chunk_indices(text))


def llama_index() -> Chunker:
    """llama-index's sentence splitter."""
    splitter = import_module("llama_index.core.node_parser").SentenceSplitter(
        chunk_size=SIZE,
        chunk_overlap=OVERLAP,
        tokenizer=lambda text: range(tokens.count(text)),
    )
    document = import_module("llama_index.core").Document

    def split(text: str) -> list[Located]:
        nodes = splitter.get_nodes_from_documents([document(text=text)])
        return [(node.start_char_idx, node.text) for node in nodes]

    return split


PEERS = (langchain, semchunk, semantic_text_splitter, llama_index)


def measure(make: Callable[[], Chunker], text: str, runs: int = 3) -> Measure:
    """Chunk a text, keep the best time, then count by hand what came out."""
    seconds = float("inf")
    for _ in range(runs):
        chunker = make()  # a new one: some remember what they have counted
        begun = time.perf_counter()
        chunks = chunker(text)
        seconds = min(seconds, time.perf_counter() - begun)
    counts = [tokens.count(chunk) for _, chunk in chunks]
    return Measure(
        seconds=seconds,
        chunks=len(chunks),
        tokens=sum(counts) / len(counts),
        overruns=sum(count > SIZE for count in counts),
        misplaced=sum(
            start is None or text[start : start + len(chunk)] != chunk for start, chunk in chunks
        ),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the chunker.")
    parser.add_argument("--peers", action="store_true", help="measure other chunkers too")
    parser.add_argument("--layer", action="store_true", help="count as in Lambda, by tiktoken")
    parser.add_argument("--megabytes", type=float, default=5, help="of mixed text (default 5)")
    arguments = parser.parse_args()
    if arguments.layer:
        sys.modules["rs_bpe"] = None  # type: ignore[assignment]  # as if it were not installed
    tokens.count("warm")

    text = mixed(int(arguments.megabytes * MEGABYTE))
    size = len(text.encode()) / MEGABYTE
    print(f"{size:.1f} MB of mixed text, {SIZE} tokens, overlap {OVERLAP}; ratio: ours to theirs")
    print(f"{'':24}{'MB/s':>8}{'ratio':>8}{'chunks':>8}{'tokens':>8}{'over':>8}{'misplaced':>11}")
    own: Measure | None = None
    for make in (ours, *(PEERS if arguments.peers else ())):
        try:
            made = measure(make, text)
        except ModuleNotFoundError as missing:
            print(f"{make.__name__:24}skipped: {missing.name} is not installed")
            continue
        own = own or made
        print(
            f"{make.__name__:24}{size / made.seconds:8.1f}{made.seconds / own.seconds:8.1f}"
            f"{made.chunks:8}{made.tokens:8.0f}{made.overruns:8}{made.misplaced:11}"
        )

    print("\nours on a megabyte of what makes others quadratic")
    for name, bad in hostile().items():
        made = measure(ours, bad)
        speed = len(bad.encode()) / MEGABYTE / made.seconds
        print(f"{name:24}{speed:8.1f}{'':8}{made.chunks:8}{made.tokens:8.0f}{made.overruns:8}")


if __name__ == "__main__":
    main()
