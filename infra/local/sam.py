"""`sam build` and `sam deploy`, for this machine and onto the emulator."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from infra.local.backends import EMULATOR, ROOT
from infra.local.processes import NotStarted

SAM = ROOT / ".sam" / "bin" / "sam"
TEMPLATE = ROOT / "template.yaml"


@dataclass(frozen=True)
class Sam:
    """SAM's command line, at work in a folder, with the environment that leads it to an account."""

    folder: Path
    environment: Mapping[str, str]

    def build(self) -> None:
        """Build every function and the layer, and pack them as for the cloud."""
        self._run(
            "build",
            *("--template", str(TEMPLATE), "--build-dir", str(self._built)),
            *("--cached", "--cache-dir", str(self.folder / "cache")),
            *("--parallel", "--parameter-overrides", *_pairs(_machine())),
        )
        # By the functions' own Python, which is the emulator's.
        self._call([str(EMULATOR), "-m", "infra.local.pack", str(self._built)], "pack")

    def deploy(self, stack: str, parameters: Mapping[str, str]) -> None:
        """Have the account hold this stack, as it was built."""
        self._run(
            "deploy",
            *("--template", str(self._built / "template.yaml"), "--stack-name", stack),
            *("--resolve-s3", "--capabilities", "CAPABILITY_IAM"),
            *("--no-confirm-changeset", "--no-fail-on-empty-changeset"),
            *("--parameter-overrides", *_pairs({**_machine(), **parameters})),
        )

    @property
    def _built(self) -> Path:
        return self.folder / "build"

    def _run(self, command: str, *arguments: str) -> None:
        # No settings of other deployments: those of `samconfig.toml` are for the cloud.
        self._call([str(SAM), command, "--config-env", "emulator", *arguments], f"sam {command}")

    def _call(self, command: list[str], name: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        log = self.folder / "sam.log"
        with log.open("w") as out:
            ended = subprocess.run(
                command, cwd=ROOT, env=self._environment(), stdout=out, stderr=out, check=False
            )
        if ended.returncode:
            words = [line for line in log.read_text().splitlines() if line.strip()]
            raise NotStarted(f"{name} failed: {' '.join(words[-3:])} (all of it: {log})")

    def _environment(self) -> dict[str, str]:
        """Ours, but for what leads to an account of AWS. SAM looks for the Python on the path."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        path = os.pathsep.join([str(EMULATOR.parent), os.environ["PATH"]])
        return {**kept, **self.environment, "PATH": path, "SAM_CLI_TELEMETRY": "0"}


def _machine() -> dict[str, str]:
    """The emulator runs functions on its own Python, on this processor."""
    version = subprocess.run(
        [EMULATOR, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
        capture_output=True,
        text=True,
        check=True,
    )
    arm = platform.machine() in ("arm64", "aarch64")
    return {
        "Runtime": f"python{version.stdout.strip()}",
        "Architecture": "arm64" if arm else "x86_64",
    }


def _pairs(parameters: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in parameters.items()]
