"""No vendor's SDK is imported until its slot is used: each costs a cold start."""

from __future__ import annotations

import subprocess
import sys

import pytest

SDKS = {"boto3", "openai", "pinecone"}
READERS = {"pypdfium2", "pypdf", "selectolax", "chardet", "zipfile", "csv"}


def loaded_by(module: str) -> set[str]:
    """Every module that this one brings along."""
    program = f"import sys, {module}; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "rag.runtime.bootstrap",
        "rag.wire.v3",
        "infra.local.serve",
        "functions.ingest.handler",
        "functions.search.handler",
        "functions.chat.handler",
        "functions.authorizer.handler",
        "functions.sweeper.handler",
        "functions.jobs.handler",
        "functions.sources.handler",
        "functions.site.handler",
        "functions.worker.handler",
        "rag.adapters.openai.answerer",
        "rag.adapters.openai.embedder",
        "rag.adapters.pinecone",
    ],
)
def test_no_sdk_is_imported_before_its_slot_is_used(module: str) -> None:
    loaded = loaded_by(module)
    assert module in loaded
    assert not loaded & SDKS


@pytest.mark.parametrize("name", ["ingest", "search", "chat", "sources", "site"])
def test_a_request_can_be_refused_without_what_would_answer_it(name: str) -> None:
    unused = {"numpy", "jwt", "cryptography", "rs_bpe", "tiktoken", "ormsgpack", "onnxruntime"}
    unused |= {"aws_xray_sdk"}
    assert not loaded_by(f"functions.{name}.handler") & unused


def test_functions_without_a_route_of_the_widgets_have_nothing_of_it() -> None:
    assert not [one for one in loaded_by("functions.search.handler") if "wire.widget" in one]


def test_the_authorizer_needs_no_web_framework() -> None:
    assert not loaded_by("functions.authorizer.handler") & {"fastapi", "starlette", "numpy"}


@pytest.mark.parametrize("module", ["rag.ingest.intake", "rag.ingest.worker"])
def test_who_only_takes_files_has_nothing_that_reads_them(module: str) -> None:
    """They are read by other processes, each of which imports what its own file needs."""
    assert not loaded_by(module) & READERS


def test_reading_a_kind_of_file_imports_what_that_kind_needs_alone() -> None:
    assert not loaded_by("rag.adapters.confined.child, rag.ingest.formats.text") & READERS
