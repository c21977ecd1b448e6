"""What is special about forms that this server signs and takes back itself."""

from __future__ import annotations

import base64
import hmac
import json

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.adapters.embedded.forms import Admitted, SignedForms
from rag.errors import Invalid, PermissionDenied
from tests.conftest import Clock

SECRET = "a secret that signs tokens, too, as long as it must be"
KEY, TYPE = "incoming/acme/up_1/a b ü.pdf", "application/pdf"
FIELDS = {
    "key", "Content-Type", "policy", "x-amz-algorithm", "x-amz-credential", "x-amz-date",
    "x-amz-signature",
}  # fmt: skip


def form(forms: SignedForms, seconds: int = 60) -> dict[str, str]:
    return dict(forms.upload_form(KEY, TYPE, 5_000, seconds).fields)


@pytest.fixture
def forms(clock: Clock) -> SignedForms:
    return SignedForms(SECRET, clock)


def test_a_form_has_the_fields_that_s3_gives_it(forms: SignedForms) -> None:
    made = forms.upload_form(KEY, TYPE, 5_000, 60)
    assert made.url == "/uploads"
    assert set(made.fields) == FIELDS
    policy = json.loads(base64.b64decode(made.fields["policy"]))
    assert policy["expiration"] == "2027-01-15T08:01:00.000Z"
    for name in FIELDS - {"policy", "x-amz-signature"}:
        assert {name: made.fields[name]} in policy["conditions"]
    assert ["content-length-range", 1, 5_000] in policy["conditions"]


def test_a_form_is_admitted_for_what_it_was_made_for(forms: SignedForms) -> None:
    assert forms.admit(form(forms)) == Admitted(KEY, TYPE, 5_000)


def test_another_process_with_the_secret_admits_it(forms: SignedForms, clock: Clock) -> None:
    assert SignedForms(SECRET, clock).admit(form(forms)).key == KEY
    with pytest.raises(PermissionDenied, match="signature"):
        SignedForms(SECRET + "!", clock).admit(form(forms))


def test_a_form_is_good_until_it_expires_and_across_midnight(
    forms: SignedForms, clock: Clock
) -> None:
    made = form(forms, seconds=2 * 86_400)
    clock.now += 2 * 86_400 - 0.01
    assert forms.admit(made)
    clock.now += 0.01
    with pytest.raises(PermissionDenied, match="expired"):
        forms.admit(made)


@given(name=st.sampled_from(sorted(FIELDS)), value=st.text())
def test_whatever_field_is_changed_the_form_is_refused(name: str, value: str) -> None:
    forms = SignedForms(SECRET, lambda: 1_800_000_000.0)
    made = form(forms)
    if made[name] != value:
        with pytest.raises(PermissionDenied):
            forms.admit({**made, name: value})


@given(name=st.sampled_from(sorted(FIELDS)), data=st.data())
def test_a_change_of_a_single_character_is_enough(name: str, data: st.DataObject) -> None:
    forms = SignedForms(SECRET, lambda: 1_800_000_000.0)
    made = form(forms)
    at = data.draw(st.integers(0, len(made[name]) - 1))
    other = data.draw(st.characters(codec="utf-8").filter(lambda one: one != made[name][at]))
    with pytest.raises(PermissionDenied):
        forms.admit({**made, name: made[name][:at] + other + made[name][at + 1 :]})


@pytest.mark.parametrize("name", sorted(FIELDS))
def test_every_field_must_be_there(forms: SignedForms, name: str) -> None:
    made = form(forms)
    del made[name]
    with pytest.raises(Invalid) as refused:
        forms.admit(made)
    assert refused.value.field == name


@pytest.mark.parametrize("name", ["acl", "KEY", "content-type", "x-amz-meta-title", "success"])
def test_no_field_may_be_there_beside_them(forms: SignedForms, name: str) -> None:
    with pytest.raises(PermissionDenied, match=name):
        forms.admit({**form(forms), name: "x"})


def test_the_policy_of_one_form_does_not_fit_another(forms: SignedForms) -> None:
    other = forms.upload_form("incoming/rival/up_2/b.pdf", TYPE, 5_000, 60).fields
    for taken in (("policy",), ("policy", "x-amz-signature")):
        with pytest.raises(PermissionDenied):
            forms.admit({**form(forms), **{name: other[name] for name in taken}})


def test_what_signs_tokens_signs_no_forms_and_the_other_way_round(forms: SignedForms) -> None:
    made = form(forms)
    by_secret = hmac.new(SECRET.encode(), made["policy"].encode(), "sha256").hexdigest()
    with pytest.raises(PermissionDenied):
        forms.admit({**made, "x-amz-signature": by_secret})
    # A form for a key that reads like a token's payload, taken for a token.
    header = jwt.encode({}, SECRET, "HS256").split(".")[0]
    signature = base64.urlsafe_b64encode(bytes.fromhex(made["x-amz-signature"])).decode()
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(
            f"{header}.{made['policy'].rstrip('=')}.{signature.rstrip('=')}", SECRET, ["HS256"]
        )
