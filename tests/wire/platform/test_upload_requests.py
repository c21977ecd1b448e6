"""`POST /api/rag/uploads`: who gets a form, and for what."""

from __future__ import annotations

from typing import Any

import pytest

from rag.ingest.formats.kinds import SUPPORTED
from rag.ports import Update
from rag.stores import layout
from tests.conftest import Server
from tests.wire.platform.conftest import Person

PLAIN = "must be the plain name of a file, no part of which begins with a dot"


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"dataSourceId": None}, "dataSourceId", "is required"),
        ({"dataSourceId": ""}, "dataSourceId", "must not be empty"),
        ({"filename": None}, "filename", "is required"),
        ({"filename": ""}, "filename", PLAIN),
        ({"filename": 5}, "filename", "must be a string"),
        ({"filename": "../a.md"}, "filename", PLAIN),
        ({"filename": "a/../../b.md"}, "filename", PLAIN),
        ({"filename": "/etc/a.md"}, "filename", PLAIN),
        ({"filename": "a//b.md"}, "filename", PLAIN),
        ({"filename": "a/"}, "filename", PLAIN),
        ({"filename": "./a.md"}, "filename", PLAIN),
        ({"filename": "..\\a.md"}, "filename", PLAIN),
        ({"filename": "C:\\a.md"}, "filename", PLAIN),
        ({"filename": "a\0.md"}, "filename", PLAIN),
        ({"filename": "a\n.md"}, "filename", PLAIN),
        ({"filename": "a\x7f.md"}, "filename", PLAIN),
        ({"filename": "a\u202edm.exe.md"}, "filename", PLAIN),
        ({"filename": ".unfinished-a.md"}, "filename", PLAIN),
        ({"filename": "${filename}", "mediaType": "text/plain"}, "filename", PLAIN),
        ({"filename": "a/${filename}.md"}, "filename", PLAIN),
        ({"filename": "a/.unfinished-b/c.md"}, "filename", PLAIN),
        ({"filename": "ü" * 99 + ".md"}, "filename",
         "must have at most 700 bytes, and each name in it 200"),
        ({"filename": "a/" * 350 + "b.md"}, "filename",
         "must have at most 700 bytes, and each name in it 200"),
        ({"mediaType": None}, "mediaType", "is required"),
        ({"mediaType": "markdown"}, "mediaType", "must be a media type such as text/markdown"),
        ({"mediaType": "text/ü"}, "mediaType", "must be a media type such as text/markdown"),
        ({"mediaType": "text/plain\r\nX: y"}, "mediaType",
         "must be a media type such as text/markdown"),
        ({"mediaType": "text/" + "x" * 252}, "mediaType", "must have at most 256 characters"),
        ({"size": None}, "size", "is required"),
        ({"size": "5"}, "size", "must be a number"),
        ({"size": True}, "size", "must be a number"),
        ({"size": 5.5}, "size", "must be a whole number"),
        ({"size": 0}, "size", "must be at least 1"),
        ({"size": -1}, "size", "must be at least 1"),
        ({"size": 50_000_001}, "size", "must be at most 50000000"),
        ({"size": 10**30}, "size", "must be at most 50000000"),
        ({"ingest": "no"}, "ingest", "must be true or false"),
        ({"ingest": 0}, "ingest", "must be true or false"),
    ],
)  # fmt: skip
def test_a_wrong_request_is_refused_by_field_in_words_that_help(
    ann: Person, changes: dict[str, Any], field: str, message: str
) -> None:
    answer = ann.upload(**changes)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"] == "Validation error"
    assert answer.json()["details"] == {"field": field, "message": f"{field} {message}"}
    assert ann.jobs() == []


def test_a_file_that_nobody_could_read_is_not_even_uploaded(ann: Person) -> None:
    answer = ann.upload(filename="a.gif", mediaType="image/gif")
    assert answer.status_code == 415
    assert answer.json() == {
        "error": "Unsupported format",
        "message": f"a.gif is a picture and cannot be read: only {SUPPORTED} can.",
        "details": {},
        "code": "UNSUPPORTED_FORMAT",
    }
    assert ann.jobs() == []


def test_only_those_who_may_write_to_a_source_may_upload_to_it(
    ann: Person, bob: Person, root: Person, zoe: Person
) -> None:
    public, personal = ann.source("public"), ann.source("personal")
    assert [ann.upload(dataSourceId=id).status_code for id in (public, personal)] == [201, 201]
    assert [root.upload(dataSourceId=id).status_code for id in (public, personal)] == [201, 201]
    refused = bob.upload(dataSourceId=public)
    assert (refused.status_code, refused.json()["code"]) == (403, "PERMISSION_DENIED")
    for person, id in ((bob, personal), (zoe, public), (zoe, personal)):
        absent = id[:-4] + "0000"
        answers = [person.upload(dataSourceId=one) for one in (id, absent)]
        texts = {one.text.replace(id, "").replace(absent, "") for one in answers}
        assert (answers[0].status_code, len(texts)) == (404, 1)
        assert len({tuple(sorted(one.headers)) for one in answers}) == 1
    assert [job["dataSourceId"] for job in bob.jobs()] == [public, public]


def test_where_the_quota_is_used_up_nothing_can_be_uploaded(server: Server, ann: Person) -> None:
    full = server.settings.storage_quota * 1_000_000
    server.footnote.parts.items.write(Update(layout.epoch("acme"), add={"bytes": full}))
    answer = ann.upload()
    assert (answer.status_code, answer.json()["code"]) == (507, "INDEX_FULL")
    assert ann.jobs() == []
