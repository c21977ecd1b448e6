"""What is known of embedding models by their names."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from rag.adapters import calibrations
from rag.calibration import Calibration

_log = logging.getLogger(__name__)

# Most models that people run themselves read 512 word pieces, and servers cut off what is beyond
# without a word: rather a window too many than a text half read.
UNKNOWN_LONGEST = 400


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """Its dimension, the cl100k tokens that it reads, and what its values mean."""

    dimension: int | None = None
    longest: int = UNKNOWN_LONGEST
    shortens: bool = False  # whether it makes shorter vectors when asked to
    calibration: Calibration | None = None


# Reads 256 word pieces, which are shorter than cl100k's tokens.
_MINILM = EmbeddingModel(384, 192, calibration=calibrations.MINILM_BY_WORDS)

_KNOWN: Mapping[str, EmbeddingModel] = {
    "text-embedding-3-small": EmbeddingModel(1536, 8191, shortens=True),
    "text-embedding-3-large": EmbeddingModel(3072, 8191, shortens=True),
    "text-embedding-ada-002": EmbeddingModel(1536, 8191),
    "all-minilm-l6-v2": _MINILM,
    "all-minilm": _MINILM,  # Ollama's name
}


def embedding_model(name: str) -> EmbeddingModel:
    """What is known of a model, whoever serves it: `org/model:tag` is `model`."""
    plain = name.rpartition("/")[2].partition(":")[0].lower()
    return _KNOWN.get(plain, EmbeddingModel())


def calibration(name: str) -> Calibration:
    """What a model's values mean as relevance; where nobody knows, a guess and a warning."""
    return embedding_model(name).calibration or _guess(name)


@cache  # one warning is enough
def _guess(name: str) -> Calibration:
    _log.warning(
        "The embedding model %s has no calibration: scores are a guess, thresholds may admit too"
        " much or too little. `python -m eval.calibrate` makes one from labelled pairs.",
        name,
    )
    return calibrations.NEUTRAL
