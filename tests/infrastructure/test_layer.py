"""The layer stays small enough for a plain `sam build`, which prunes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement

from infra.local.lambda_runtime import LAYER, ROOT

MOST = 200_000_000  # bytes


def test_the_layer_has_less_than_200_megabytes() -> None:
    """As pip lays it out on this machine, without bytecode, and with all that is ours."""
    wanted = map(Requirement, LAYER.read_text().splitlines())
    names = [one.name for one in wanted if not one.marker or one.marker.evaluate()]
    packages = {name: _size(name) for name in names}
    assert len(packages) > 40
    packages["rag"] = _sum((ROOT / "shared" / "rag").rglob("*"))
    assert sum(packages.values()) < MOST, sorted(packages.items(), key=lambda one: -one[1])


def _size(name: str) -> int:
    found = distribution(name)
    return _sum(Path(str(found.locate_file(file))) for file in found.files or ())


def _sum(paths: Iterable[Path]) -> int:
    files = (path for path in paths if path.is_file() and path.suffix != ".pyc")
    return sum(file.stat().st_size for file in files)
