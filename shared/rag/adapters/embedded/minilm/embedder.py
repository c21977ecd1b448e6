"""all-MiniLM-L6-v2 on ONNX Runtime."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tokenizers import Encoding, Tokenizer

from rag.adapters.calibrations import MINILM
from rag.adapters.embedded.minilm import weights
from rag.adapters.embedded.minilm.encoder import WIDTH, encoder
from rag.adapters.embedded.minilm.states import pack
from rag.adapters.embedded.minilm.windows import balanced
from rag.errors import EmbeddingFailed
from rag.model import Embedding, Span, Vector
from rag.terms import STOP_WORDS

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]

LONGEST = 256  # word pieces the model was trained for, with one mark at each end
ROOM = LONGEST - 2
START, END, UNKNOWN = 101, 102, 100

_SURROGATES = re.compile("[\ud800-\udfff]")


class MiniLM:
    """Embeds each text on its own, on as many threads as there are cores.

    One text on one thread needs no padding, never depends on the texts beside it, and is faster
    here than a batch that shares its threads.
    """

    model = "all-MiniLM-L6-v2"
    dimension = WIDTH
    calibration = MINILM

    def __init__(self, folder: Path | None = None) -> None:
        """Raises EmbeddingFailed if the weights are missing or not the published ones."""
        folder = folder or weights.installed()
        self._tokenizer = _tokenizer(folder)
        tensors = weights.tensors(weights.read(folder, weights.MODEL))
        self._words = tensors["embeddings.word_embeddings.weight"]
        self._positions = (
            tensors["embeddings.position_embeddings.weight"][:LONGEST]
            + tensors["embeddings.token_type_embeddings.weight"][0]
        )
        self._session = _session(encoder(tensors))
        self._threads = ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="embed")

    def windows(self, text: str, header: str = "") -> list[Span]:
        """Pieces of at most 256 word pieces under `header`, which may take up three quarters."""
        encoding = self._encode([text])[0]
        room = max(ROOM - len(self._encode([header])[0]), ROOM // 4)
        if len(encoding) <= room:
            return [Span(0, len(text))]
        starts: dict[int | None, int] = {}
        for word, (start, _) in zip(encoding.word_ids, encoding.offsets, strict=True):
            starts.setdefault(word, start)
        return balanced(text, [starts[word] for word in encoding.word_ids], room)

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        """One embedding per text, in order, of its first 256 word pieces."""
        try:
            encodings = self._encode(texts)
            run = map if len(texts) == 1 else self._threads.map
            return list(run(self._embed, texts, encodings))
        except Exception as error:
            raise EmbeddingFailed("The embedding model failed.") from error

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        # Half of a surrogate pair is no character. One for one, so that offsets stay.
        clean = [_SURROGATES.sub("\ufffd", text) for text in texts]
        return self._tokenizer.encode_batch(clean, add_special_tokens=False)

    def _embed(self, text: str, encoding: Encoding) -> Embedding:
        ids = [START, *encoding.ids[:ROOM], END]
        embeddings = self._words[ids] + self._positions[: len(ids)]
        states = self._session.run(None, {"embeddings": embeddings[None]})[0][0]
        mean = states.mean(axis=0)
        return Embedding(mean / np.linalg.norm(mean), _word_states(text, encoding, states[1:-1]))


def _word_states(text: str, encoding: Encoding, states: Vector) -> bytes:
    pieces = list(_content_words(text, encoding, len(states)))
    sums = [states[first:last].sum(axis=0) for first, last, _ in pieces]
    return pack(np.array(sums), [span for _, _, span in pieces])


def _content_words(text: str, encoding: Encoding, length: int) -> Iterator[tuple[int, int, Span]]:
    """Where the pieces begin and end, and the span, of each word that says something by itself."""
    words, offsets = encoding.word_ids[:length], encoding.offsets
    firsts = [at for at in range(length) if at == 0 or words[at] != words[at - 1]]
    for first, last in pairwise([*firsts, length]):
        span = Span(offsets[first][0], offsets[last - 1][1])
        word = text[span.start : span.end].lower()
        if (
            encoding.ids[first] != UNKNOWN
            and word not in STOP_WORDS
            and any(map(str.isalnum, word))
        ):
            yield first, last, span


def _tokenizer(folder: Path) -> Tokenizer:
    tokenizer = Tokenizer.from_buffer(weights.read(folder, weights.TOKENIZER).tobytes())
    # The file asks for 128 word pieces, always: neither more nor fewer.
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # "[SEP]" in a document is text.
    tokenizer.encode_special_tokens = True
    return tokenizer


def _session(model: bytes) -> InferenceSession:
    # Unless told otherwise before it is imported, it reports on its users to its makers.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    # More would fuse Add and LayerNormalization into one operator, which takes five times as long.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
