from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rag.adapters.embedded.minilm import MiniLM
from rag.errors import IndexMismatch
from rag.runtime.bootstrap import bootstrap, local_secret
from rag.runtime.settings import Settings, SettingsError
from tests.loopback import OpenAIApi


def settings(tmp_path: Path, **variables: str) -> Settings:
    return Settings.from_environment({"DATA_DIR": str(tmp_path / "data"), **variables})


def test_without_any_setting_everything_is_embedded(tmp_path: Path) -> None:
    footnote = bootstrap(settings(tmp_path))
    assert (footnote.embedder.model, footnote.querying.answerer.name) == (
        MiniLM.model,
        "extractive",
    )


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "OPENAI_BASE_URL"])
def test_a_key_or_a_server_has_answers_written(
    tmp_path: Path, minilm: MiniLM, variable: str
) -> None:
    footnote = bootstrap(settings(tmp_path, **{variable: "http://127.0.0.1:9/v1"}), embedder=minilm)
    assert footnote.querying.answerer.name == "openai"


def test_an_embedding_model_is_asked_of_the_server(tmp_path: Path, openai_api: OpenAIApi) -> None:
    chosen = settings(
        tmp_path,
        OPENAI_BASE_URL=f"{openai_api.url}/v1",
        OPENAI_API_KEY="any",
        EMBEDDING_MODEL="all-MiniLM-L6-v2",
    )
    footnote = bootstrap(chosen)
    assert (footnote.embedder.model, footnote.embedder.dimension) == ("all-MiniLM-L6-v2", 384)
    assert not isinstance(footnote.embedder, MiniLM)


def test_an_index_of_another_dimension_is_refused(tmp_path: Path, minilm: MiniLM) -> None:
    bootstrap(settings(tmp_path), embedder=minilm)
    other = settings(tmp_path, OPENAI_API_KEY="k", EMBEDDING_MODEL="text-embedding-3-small")
    with pytest.raises(IndexMismatch, match="1536"):
        bootstrap(other)


def test_an_embedding_model_without_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="OPENAI_BASE_URL"):
        settings(tmp_path, EMBEDDING_MODEL="text-embedding-3-small")


def test_the_local_secret_is_made_once_and_is_ours_alone(tmp_path: Path) -> None:
    secret = local_secret(tmp_path / "data")
    assert local_secret(tmp_path / "data") == secret
    assert len(secret) >= 32
    modes: dict[str, Any] = {
        path.name: path.stat().st_mode & 0o777
        for path in (tmp_path / "data", tmp_path / "data/jwt-secret")
    }
    assert modes == {"data": 0o700, "jwt-secret": 0o600}
