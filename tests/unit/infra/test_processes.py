"""Servers in the background: found again, repaired, and never taken for somebody else's."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from infra.local import processes
from infra.local.processes import Daemon, NotStarted
from tests.loopback import free_port

SERVE = """
import http.server, os, signal, sys
if os.environ.get("DEAF"):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
http.server.test(http.server.SimpleHTTPRequestHandler, port=int(sys.argv[1]), bind="127.0.0.1")
"""


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Describes one server in ever new words, and leaves none behind."""
    port, described = free_port(), []

    def describe(program: str = SERVE, **environment: str) -> Daemon:
        command = [sys.executable, "-c", program, str(port)]
        described.append(Daemon("web", command, "127.0.0.1", port, tmp_path, environment))
        return described[-1]

    yield describe
    for one in described:
        one.stop()


def up(daemon: Daemon) -> int:
    daemon.start()
    daemon.wait()
    return daemon.pid


def test_what_runs_is_found_again_by_whoever_describes_it_so(
    daemon: Callable[..., Daemon],
) -> None:
    first = up(daemon())
    assert up(daemon()) == first
    daemon().stop()
    assert not daemon().running
    daemon().stop()


def test_what_was_killed_is_started_anew(daemon: Callable[..., Daemon]) -> None:
    first = up(daemon())
    os.kill(first, signal.SIGKILL)
    while daemon().running:
        time.sleep(0.005)
    assert up(daemon()) != first


def test_what_is_to_run_otherwise_is_started_anew(daemon: Callable[..., Daemon]) -> None:
    first = up(daemon())
    assert up(daemon(LEVEL="2")) != first


def test_what_does_not_end_when_asked_is_ended(
    daemon: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "STOP_SECONDS", 0.1)
    deaf = daemon(DEAF="1")
    up(deaf)
    deaf.stop()
    assert not deaf.running


def test_a_number_that_has_passed_to_another_program_is_left_alone(
    daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        (tmp_path / "web.pid").write_text(json.dumps({"pid": other.pid, "as": {}}))
        daemon().stop()
        assert other.poll() is None
        other.communicate(b"\n")
    assert other.returncode == 0


def test_a_port_that_is_taken_is_told_in_a_sentence(daemon: Callable[..., Daemon]) -> None:
    one = daemon()
    with socket.create_server(("127.0.0.1", one.port)), pytest.raises(NotStarted) as refused:
        one.start()
    assert str(refused.value) == (
        f"Port {one.port} of 127.0.0.1, where web is to be, is taken by another program."
    )


def test_an_address_of_elsewhere_is_told_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotStarted, match=r"Nothing can be served on 192\.0\.2\.1: .*\.$"):
        Daemon("web", [sys.executable], "192.0.2.1", free_port(), tmp_path).start()


def test_the_last_words_of_what_ended_at_once_are_told(daemon: Callable[..., Daemon]) -> None:
    one = daemon("import sys; sys.exit('no such model')")
    one.start()
    with pytest.raises(NotStarted, match="web ended at once: no such model"):
        one.wait()


def test_what_is_not_set_up_is_told(tmp_path: Path) -> None:
    one = Daemon("web", [str(tmp_path / "python")], "127.0.0.1", free_port(), tmp_path)
    with pytest.raises(NotStarted, match="infra/local/setup"):
        one.start()


def test_of_the_environment_it_knows_only_what_it_was_given(
    daemon: Callable[..., Daemon], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "production")
    one = daemon("import os, sys; sys.exit(str(sorted(os.environ)))", GIVEN="1")
    one.start()
    with pytest.raises(NotStarted) as ended:
        one.wait()
    assert "'GIVEN'" in str(ended.value)
    assert "AWS_PROFILE" not in str(ended.value)
