"""The light import of the SDK, in processes of its own: here it may be imported already."""

from __future__ import annotations

import subprocess
import sys

START = (
    "from rag.adapters.openai.client import connect; client = connect('k', 'http://127.0.0.1:9')"
)


def run(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"{START}\n{program}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_only_what_is_used_is_imported() -> None:
    loaded = run("import sys; print(sum(name.startswith('openai') for name in sys.modules))")
    assert int(loaded) < 250


def test_every_type_is_still_there_for_who_asks() -> None:
    assert run("import openai; print(openai.types.Embedding.__name__)") == "Embedding"
    names = "from openai.types.responses import Response, ResponseStreamEvent; print(Response)"
    assert "openai.types.responses.response.Response" in run(names)


def test_every_resource_can_be_made() -> None:
    made = "client.responses, client.images, client.files, client.beta.threads, client.audio.speech"
    assert run(f"print(len(({made})))") == "5"


def test_what_is_not_there_is_an_attribute_error() -> None:
    program = "import openai\ntry: openai.types.Nonsense\nexcept AttributeError: print('none')"
    assert run(program) == "none"


def test_threads_that_import_at_once_all_get_it() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
together = Barrier(8)
def use(number):
    together.wait()
    return (client.chat.completions, client.embeddings, client.responses)[number % 3]
with ThreadPoolExecutor(8) as pool:
    print(len(list(pool.map(use, range(8)))))
"""
    assert run(program) == "8"
