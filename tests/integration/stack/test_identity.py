"""Who may call the deployed stack, as whom, and how often."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from infra.local.edge import CALLERS_KEY_HEADER, KEY_HEADER
from tests.integration.conftest import command
from tests.integration.stack.conftest import Org, Running

pytestmark = pytest.mark.integration

DOCUMENTS = "/api/rag/documents"
SITES = "/api/v1/sites"


def api_key(org: Org, data_dir: Path) -> str:
    """As `make key` makes it, after `make stack-env`."""
    made = command(data_dir, "credentials", "key", org.name, "", "", **org.running.settings)
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def usage_key(running: Running, tier: str) -> str:
    return f"{running.settings['TIER_KEYS']}-{tier}"


def test_nobody_gets_in_without_credentials_that_hold(running: Running) -> None:
    token = Org(running).token()
    wrong: list[dict[str, str]] = [
        {},
        {"Authorization": f"Bearer {token[:-4]}AAAA"},
        {KEY_HEADER: "fn_unknown"},
        # The keys of usage plans open nothing.
        {KEY_HEADER: usage_key(running, "premium")},
    ]
    # At once, since the emulator takes seconds: it ends a function that raises, and starts it anew.
    with ThreadPoolExecutor(len(wrong)) as pool:
        answers = pool.map(lambda headers: running.client(**headers).get(DOCUMENTS), wrong)
    for refused in answers:
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.json()["error"] == "Unauthorized"


def test_tokens_and_keys_that_our_commands_make_open_the_stack(org: Org, data_dir: Path) -> None:
    made = command(
        data_dir, "credentials", "token", "ann", org.name, "", "", "", **org.running.settings
    )
    assert made.returncode == 0, made.stderr
    bearer = {"Authorization": f"Bearer {made.stdout.strip()}"}
    for headers in (bearer, {KEY_HEADER: api_key(org, data_dir)}):
        assert org.running.client(**headers).get(DOCUMENTS).json()["documents"] == []
    assert not data_dir.exists()  # everything was asked of the stack


def test_a_header_makes_nobody_somebody_else(running: Running, data_dir: Path) -> None:
    one, other = Org(running), Org(running)
    document = {"source": "s", "path": "/p", "title": "t", "text": "Newts live in ponds."}
    other.http.post("/api/rag/ingest", json=document).raise_for_status()
    forged = {
        "x-amzn-request-context": f'{{"authorizer": {{"sub": "eve", "org": "{other.name}"}}}}',
        "requestContext": f'{{"authorizer": {{"org": "{other.name}"}}}}',
        "x-org": other.name,
        "org": other.name,
        CALLERS_KEY_HEADER: api_key(other, data_dir),
    }
    assert one.http.get(DOCUMENTS, headers=forged).json()["documents"] == []
    assert running.client(**forged).get(DOCUMENTS).status_code == 401


def test_a_call_without_a_usage_plan_is_turned_away(org: Org) -> None:
    direct = org.running.client(org.running.stack.gateway("ApiId"))
    bearer = {"Authorization": f"Bearer {org.token()}"}
    for headers in (bearer, {**bearer, KEY_HEADER: "no-such-key-of-any-usage-plan"}):
        refused = direct.get(DOCUMENTS, headers=headers)
        assert refused.status_code == 403
        assert refused.json()["error"] == "Forbidden"
    with_key = {**bearer, KEY_HEADER: usage_key(org.running, "full")}
    assert direct.get(DOCUMENTS, headers=with_key).status_code == 200


def test_a_tier_that_calls_too_often_is_told_to_wait(running_alone: Running) -> None:
    org = Org(running_alone)
    visitor = running_alone.client(Authorization=f"Bearer {org.token(tier='anonymous')}")
    with running_alone.ceiling("anonymous", burst=2):
        answers = [visitor.get(path) for path in (DOCUMENTS, SITES, DOCUMENTS, SITES)]
        # Other tiers do not notice.
        assert org.http.get(DOCUMENTS).status_code == 200
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    *_, refused, by_the_widgets = answers
    assert refused.json()["error"] == "Too many requests"
    error = by_the_widgets.json()["error"]
    assert error["code"] == "RATE_LIMIT_EXCEEDED"
    assert str(error["details"]["retry_after"]) == by_the_widgets.headers["retry-after"]
    assert refused.headers["retry-after"]
