"""What runs on GitHub can deploy without a stored key, and do little else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.infrastructure.stack import ROOT, samconfig

FILES = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"[\w-]+/[\w./-]+@(v\d+(\.\d+)*|[0-9a-f]{40})")


def workflow(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text())
    return content


def jobs() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = workflow(ROOT / ".github/workflows/ci.yml")["jobs"]
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_key_is_stored(path: Path) -> None:
    assert "secrets." not in path.read_text()
    assert "AWS_SECRET_ACCESS_KEY" not in path.read_text()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_may_read_the_code_and_no_more_than_it_must(path: Path) -> None:
    for permissions in (
        workflow(path)["permissions"],
        *(job["permissions"] for job in workflow(path)["jobs"].values() if "permissions" in job),
    ):
        assert permissions["contents"] == "read"
        assert set(permissions) <= {"contents", "id-token"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_actions_are_pinned(path: Path) -> None:
    used = re.findall(r"uses: (\S+)", path.read_text())
    assert used
    assert not [one for one in used if not one.startswith("./") and not PINNED.fullmatch(one)]


def test_every_change_is_checked_as_on_a_laptop() -> None:
    assert {"run": ".ci/run", "name": "Lint and test"} in jobs()["check"]["steps"]
    assert "3.11" in jobs()["check"]["strategy"]["matrix"]["python"]


def test_nothing_is_deployed_that_was_not_checked_and_prod_comes_last() -> None:
    needs = {name: job.get("needs") for name, job in jobs().items()}
    assert needs == {"check": None, "dev": "check", "staging": "dev", "prod": "staging"}
    assert "refs/heads/main" in jobs()["dev"]["if"]


def test_it_deploys_the_environments_of_samconfig() -> None:
    named = {job["with"]["environment"] for job in jobs().values() if "with" in job}
    assert named == set(samconfig()) - {"version", "default"}


def test_what_is_deployed_is_packed_as_it_was_measured() -> None:
    deploy = workflow(ROOT / ".github/workflows/deploy.yml")["jobs"]["deploy"]["steps"]
    names = [step["name"] for step in deploy if "name" in step]
    assert names.index("Build") < names.index("Pack") < names.index("Deploy")
