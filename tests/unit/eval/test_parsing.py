from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import parsing
from tests.writers.pdf_file import Text, document, drawn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "newts.md").write_text("# Newts\n\nThey **live** in\nponds.\n")
    (tmp_path / "song.mp3").write_bytes(b"ID3\4\0\0")
    (tmp_path / "newts.pdf").write_bytes(document([drawn([Text(60, 300, "They live in ponds.")])]))
    (tmp_path / "within").mkdir()
    (tmp_path / "within" / "half.docx").write_bytes(b"%PDF-1.7\n")
    return tmp_path


def expect(folder: Path, **files: list[str]) -> None:
    rows = [
        {"filename": name.replace("_", "."), "must_include": words, "must_not_include": ["fish"]}
        for name, words in files.items()
    ]
    (folder / "expected.json").write_text(json.dumps(rows))


def test_every_file_has_its_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parsing.main([str(folder)]) == 0
    _, title, *lines, summary = capsys.readouterr().out.splitlines()
    assert title == folder.name
    assert [line.split()[:2] for line in lines] == [
        ["newts.md", "read"],
        ["newts.pdf", "read"],
        ["song.mp3", "unsupported"],
        ["within/half.docx", "unreadable"],
    ]
    assert summary == "2 read, 1 unsupported, 1 unreadable"


def test_markup_and_white_space_make_no_difference(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expect(folder, newts_md=["They live in ponds"], newts_pdf=["live in\nponds"], song_mp3=["la"])
    assert parsing.main([str(folder)]) == 0
    assert "2 as expected" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["They live in trees"], ["ponds", "trees"]])
def test_words_that_are_missing_are_told_and_fail(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    expect(folder, newts_md=words)
    assert parsing.main([str(folder)]) == 1
    assert f"wrong        lacks {words[-1]!r}" in capsys.readouterr().out


def test_words_that_should_not_be_there_fail(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "newts.md").write_text("They eat fish.")
    expect(folder, newts_md=["They eat"])
    assert parsing.main([str(folder)]) == 1
    assert "has 'fish'" in capsys.readouterr().out


def test_a_file_of_a_format_that_we_read_must_be_readable(folder: Path) -> None:
    (folder / "newts.pdf").write_bytes(b"%PDF-1.7\n")
    expect(folder, newts_pdf=["ponds"])
    assert parsing.main([str(folder)]) == 1
