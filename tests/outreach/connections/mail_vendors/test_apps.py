"""/apps/mailvendor-x: connect, change, test, delete; keys never come back."""

from __future__ import annotations

from typing import Any

import pytest

from core.tenancy import company_scope
from outreach.connections.mail_vendors.registry import letters
from outreach.models import MailApp
from tests.kit.cast import Cast
from tests.kit.mail_vendors import KEY, Fault, VendorServer

BODY = {"name": "News", "apiKey": KEY, "fromEmail": "me@example.com", "fromName": "Me"}


def _get_fails(vendors: VendorServer, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(vendors), "next", lambda self, asked: fault)


def test_an_app_by_both_mounts(cast: Cast, vendors: VendorServer, monkeypatch: pytest.MonkeyPatch) -> None:
    vendors.be("mailersend")
    made = cast.key.post("/apps/mailvendor-d", BODY)
    assert made.status == 201, made.body
    app = made.data
    assert (app["verified"], app["vendor"], app["maskedApiKey"]) == (True, "mailersend", "…ab90")
    assert vendors.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert f"/hooks/mail/mailersend/{app['_id']}/" in app["webhookUrl"]
    assert (app["webhookReady"], app["trackOpens"]) == (False, False)
    path = f"/apps/mailvendor-d/{app['_id']}"
    changed = cast.session.put(path, {"webhookSigningKey": "hush-hush", "perDay": 9})
    assert (changed.data["webhookReady"], changed.data["perDay"], changed.data["verified"]) == (True, 9, True)
    assert len(vendors.asked) == 1  # nothing that it connects by has changed
    listed = cast.session.get("/apps/mailvendor-d")
    assert KEY not in str(listed.body)
    assert "hush-hush" not in str(listed.body)
    assert cast.key.get("/apps/mailvendor-a").data == []
    gone = cast.key.get(f"/apps/mailvendor-a/{app['_id']}")
    assert gone.status == 404
    _get_fails(vendors, Fault(401, {"message": f"no such key {KEY}"}), monkeypatch)
    tested = cast.key.post(f"{path}/test")
    assert (tested.data["ok"], tested.data["stage"]) == (False, "auth")
    assert KEY not in str(tested.body)
    assert cast.key.get(path).data["verified"] is False
    assert cast.key.delete("/apps/mailvendor-d", {"ids": [app["_id"]]}).data["deletedCount"] == 1
    assert cast.key.delete("/apps/mailvendor-d", {"ids": [app["_id"]]}).status == 400


def test_a_refused_key_is_not_connected_and_an_absent_vendor_leaves_it_unverified(
    cast: Cast, vendors: VendorServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    _get_fails(vendors, Fault(401, {"message": "Key not found"}), monkeypatch)
    refused = cast.key.post("/apps/mailvendor-a", BODY)
    assert refused.status == 400
    assert "does not take the key" in str(refused.body)
    with cast.scope():
        assert not MailApp.objects.exists()
    _get_fails(vendors, Fault(500, {}), monkeypatch)
    made = cast.key.post("/apps/mailvendor-a", BODY)
    assert (made.status, made.data["verified"]) == (201, False)
    assert "500" in made.data["lastError"]


def test_what_a_vendor_needs_and_what_it_does_not_know(cast: Cast, vendors: VendorServer) -> None:
    missing = cast.key.post("/apps/mailvendor-g", BODY)
    assert missing.status == 400
    assert "secretKey" in str(missing.body)
    unknown = cast.key.post("/apps/mailvendor-b", {**BODY, "messageStream": "x"})
    assert unknown.status == 400
    assert "messageStream" in str(unknown.body)
    later = cast.key.post("/apps/mailvendor-c", {})
    assert later.status == 400
    assert "code" in str(later.body)
    found = {one["app"]: one for one in cast.session.get("/mail-vendors").data["vendors"]}
    assert (found["mailvendor-c"]["available"], found["mailvendor-c"]["login"]) == (True, True)
    assert [one["name"] for one in found["mailvendor-g"]["fields"]][:2] == ["secretKey", "region"]


def test_a_letter_can_be_given_to_another_vendor(settings: Any) -> None:
    settings.MAIL_VENDOR_LETTERS = {"a": "postal"}
    assert (letters()["a"].key, letters()["b"].key) == ("postal", "resend")


def test_two_companies_never_see_each_others_key(cast: Cast, outsiders: Cast, vendors: VendorServer) -> None:
    assert cast.key.post("/apps/mailvendor-a", BODY).status == 201
    other = outsiders.key
    assert other.post("/apps/mailvendor-a", {**BODY, "apiKey": "another-companys-key"}).status == 201
    assert [one.headers["api-key"] for one in vendors.asked] == [KEY, "another-companys-key"]
    [mine] = cast.key.get("/apps/mailvendor-a").data
    assert other.get(f"/apps/mailvendor-a/{mine['_id']}").status == 404
    with company_scope(cast.company.pk):
        assert [app.api_key for app in MailApp.objects.all()] == [KEY]
