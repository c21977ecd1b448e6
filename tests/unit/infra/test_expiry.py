from __future__ import annotations

from pathlib import Path

from infra.local.expiry import KEPT_SECONDS, expire
from rag.adapters.embedded.objects import FolderObjects
from rag.clock import ulid
from tests.conftest import Clock


def test_what_waits_for_a_worker_is_kept_for_a_week(tmp_path: Path, clock: Clock) -> None:
    objects = FolderObjects(tmp_path)
    job, upload = f"jobs/acme/job_{ulid(clock.now)}", f"incoming/acme/upl_{ulid(clock.now)}/a.md"
    dropped = "uploads/acme/default/a.md"
    for key in (job, upload, dropped):
        objects.put(key, b"Newts")
    for seconds, left in ((-1, [upload, job, dropped]), (1, [dropped])):
        expire(objects, lambda now=clock.now + KEPT_SECONDS + seconds: now)
        assert objects.keys() == left


def test_what_others_have_put_there_stays_and_keeps_nothing_else_from_going(
    tmp_path: Path, clock: Clock
) -> None:
    objects = FolderObjects(tmp_path)
    job, strange = f"jobs/acme/job_{ulid(0)}", ["jobs/.DS_Store", "jobs/acme/notes"]
    for key in (job, *strange):
        objects.put(key, b"Newts")
    assert expire(objects, clock) == 1
    assert objects.keys() == strange
