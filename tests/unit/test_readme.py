"""The README's Python runs as it is written there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMISED = re.compile(r"^print\(.*\)  # (.+)$", re.MULTILINE)


def test_what_the_readme_shows_of_python_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # where DATA_DIR is to be
    names: dict[str, object] = {}
    shown = BLOCK.findall(README.read_text("utf-8"))
    for block in shown:
        exec(block, names)
    promised = PROMISED.findall("".join(shown))
    assert capsys.readouterr().out.splitlines() == promised
    assert len(promised) == 3


def test_every_picture_is_there_and_none_is_left_over() -> None:
    shown = set(re.findall(r"!\[[^\]]+\]\((infra/pictures/[^)]+)\)", README.read_text("utf-8")))
    kept = {f"infra/pictures/{path.name}" for path in (README.parent / "infra/pictures").iterdir()}
    assert shown == kept
