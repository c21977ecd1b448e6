from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from infra.local.pack import main


def build(folder: Path) -> Path:
    """A layer in small."""
    files = {
        "rag/model.py": "NAME = 'ours'",
        "vendor/__init__.py": "NAME = 'theirs'",
        "vendor/types.pyi": "NAME: str",
        "botocore/data/dynamodb/service-2.json": "{}",
        "botocore/data/ec2/service-2.json": "{}",
        "botocore/data/endpoints.json": "{}",
        "numpy/tests/test_it.py": "",
        "numpy/lib/tests/test_it.py": "",
        "numpy/lib/it.py": "",
    }
    layer = folder / "Layer" / "python"
    for name, text in files.items():
        (layer / name).parent.mkdir(parents=True, exist_ok=True)
        (layer / name).write_text(text)
    handler = folder / "SearchFunction" / "functions" / "search" / "handler.py"
    handler.parent.mkdir(parents=True)
    handler.write_text("import vendor\nfrom rag.model import NAME\nprint(NAME, vendor.NAME)\n")
    return layer


def test_what_nobody_reads_is_gone_and_the_rest_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layer = build(tmp_path)
    assert main([str(tmp_path)]) == 0
    assert "MB" in capsys.readouterr().out
    left = {str(path.relative_to(layer)) for path in layer.rglob("*") if path.is_file()}
    assert left == {
        "rag/model.py",
        f"rag/__pycache__/model.{sys.implementation.cache_tag}.pyc",
        "vendor/__init__.pyc",
        "botocore/data/dynamodb/service-2.json",
        "botocore/data/endpoints.json",
        "numpy/lib/it.pyc",
    }
    run = subprocess.run(
        [sys.executable, "-S", "-m", "functions.search.handler"],
        env={"PYTHONPATH": f"{tmp_path / 'SearchFunction'}:{layer}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "ours theirs\n"


def test_packing_twice_is_packing_once(tmp_path: Path) -> None:
    layer = build(tmp_path)
    main([str(tmp_path)])
    once = sorted(layer.rglob("*"))
    assert main([str(tmp_path)]) == 0
    assert sorted(layer.rglob("*")) == once


def test_another_folder_is_refused(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
    assert main([]) == 2
