"""Forms of ads: the platform tells of leads, a worker fetches them, and none is lost or doubled."""

from __future__ import annotations

from typing import Any

from django.test import Client
from django.utils import timezone

from crm.models import Lead
from outreach.connections.social_apps.hooks import verify_token
from outreach.models import Form, FormLead, SocialAApp
from tests.kit.cast import Cast
from tests.kit.social_platform import (
    FORM,
    LONG_TOKEN,
    PAGE,
    SECRET,
    USER_TOKEN,
    SocialPlatform,
    hook_path,
    signature,
    tell,
)
from tests.outreach.helpers import work


def _app(cast: Cast, app: dict[str, Any]) -> SocialAApp:
    with cast.scope():
        return SocialAApp.objects.get(pk=app["_id"])


def _states(cast: Cast) -> list[tuple[str, str]]:
    with cast.scope():
        return list(FormLead.objects.order_by("leadgen_id").values_list("state", "reason"))


def test_a_lead_that_is_told_of_twice_is_one(
    cast: Cast, outsiders: Cast, app: dict[str, Any], ad: dict[str, Any], platform: SocialPlatform
) -> None:
    stored = _app(cast, app)
    assert (stored.user_token, app["verified"]) == (LONG_TOKEN, True)
    assert not {"userToken", "appSecret"} & {*app}
    assert cast.key.get(f"/apps/social-a/{app['_id']}/pages").data["pages"][0]["subscribedAt"] is not None
    forms = cast.key.get(f"/apps/social-a/{app['_id']}/pages/{PAGE}/forms").data["forms"]
    assert [(one["formId"], len(one["fields"])) for one in forms] == [(FORM, 3)]
    platform.add("11", full_name="Ann Ash", email="ann@example.org")
    assert [tell(stored, "11", 11), tell(stored, "11"), tell(stored, "12", form="9999")] == [200] * 3
    work("form-leads")
    assert tell(stored, "11") == 200
    work("form-gaps")  # which tells of it again
    work("form-leads")
    with cast.scope():
        assert Lead.objects.get().contact.email == "ann@example.org"
    assert _states(cast) == [("imported", "")]
    assert outsiders.key.get(f"/apps/social-a/{app['_id']}/pages").status == 400


def test_what_a_dead_token_keeps_away_comes_later(
    cast: Cast, app: dict[str, Any], ad: dict[str, Any], platform: SocialPlatform
) -> None:
    stored = _app(cast, app)
    for number in range(3):
        platform.add(f"2{number}", full_name=f"P {number}", email=f"p{number}@example.org")
    platform.dead = True
    tell(stored, "20", "21")
    work("form-leads")
    work("form-gaps")
    assert _states(cast) == [("failed", "token")] * 2
    found = cast.key.get(f"/apps/social-a/{app['_id']}").data
    assert (found["verified"], "access token" in found["lastError"]) == (False, True)
    assert cast.key.put(f"/apps/social-a/{app['_id']}", {"userToken": USER_TOKEN}).status == 400
    platform.dead = False
    again = cast.key.put(f"/apps/social-a/{app['_id']}", {"userToken": USER_TOKEN})
    assert (again.status, again.data["verified"]) == (200, True)
    work("form-gaps")  # and 22, of which nobody told
    work("form-leads")
    assert _states(cast) == [("imported", "")] * 3
    with cast.scope():
        assert Lead.objects.count() == 3


def test_a_platform_that_is_down_is_asked_again(
    cast: Cast, app: dict[str, Any], ad: dict[str, Any], platform: SocialPlatform
) -> None:
    platform.down = True
    platform.add("31", full_name="Ann", email="ann@example.org")
    tell(_app(cast, app), "31", "32")
    work("form-leads")
    assert _states(cast) == [("new", "")] * 2
    unread = cast.key.get(f"/apps/social-a/{app['_id']}/pages/{PAGE}/forms")
    assert (unread.status, unread.body["message"]) == (400, "This request is not possible."), "its token may be right"
    assert "503" in unread.body["warning"]
    platform.down = False
    with cast.scope():
        FormLead.objects.update(due_at=timezone.now())
    work("form-leads")
    assert _states(cast) == [("imported", ""), ("failed", "gone")]
    failed = cast.key.get("/form/lead", filters={"status": "failed"}).data[0]
    platform.add("32", full_name="Bea", email="bea@example.org")
    assert cast.key.put(f"/form/lead/{failed['_id']}", {}).status == 400
    assert cast.key.put(f"/form/lead/{failed['_id']}", {"status": "new"}).data["status"] == "new"
    work("form-leads")
    assert _states(cast) == [("imported", "")] * 2


def test_what_is_not_signed_has_no_effect(
    cast: Cast, app: dict[str, Any], ad: dict[str, Any], platform: SocialPlatform
) -> None:
    stored, client = _app(cast, app), Client()
    for signed in ("", "sha256=", "sha256=" + "0" * 64, signature(b"other"), signature(b"", "guess")):
        assert tell(stored, "41", signed=signed) == 403
    question = {"hub.mode": "subscribe", "hub.challenge": "42", "hub.verify_token": app["verifyToken"]}
    assert app["verifyToken"] == verify_token(stored.pk, stored.hook_salt)
    assert client.get(hook_path(stored), question).content == b"42"
    assert client.get(hook_path(stored), {**question, "hub.verify_token": "guess"}).status_code == 403
    assert client.post(f"/hooks/social-a/{'0' * 24}/x", b"{}", content_type="application/json").status_code == 404
    for odd in ({"a": 1}, None, True, "x" * 99, "../etc", "é"):
        assert tell(stored, odd) == 200
    for body in (b"", b"[]", b"{", b'{"entry": [{"changes": [{"field": "leadgen", "value": 3}]}]}'):
        headers = {"HTTP_X_HUB_SIGNATURE_256": signature(body)}
        assert client.post(hook_path(stored), body, content_type="application/json", **headers).status_code == 200
    assert _states(cast) == []


def test_the_catalogue_names_what_is_missing(cast: Cast, app: dict[str, Any], platform: SocialPlatform) -> None:
    whole = {"appId": "900", "appSecret": SECRET, "userToken": USER_TOKEN}
    said = {"appId": "app number", "appSecret": "app secret", "userToken": "access token"}
    for name, words in said.items():
        answer = cast.key.post("/apps/social-a", {key: value for key, value in whole.items() if key != name})
        assert (answer.status, answer.body["message"]) == (400, f"Enter the {words} of the social account.")
    assert cast.key.post("/apps/social-a", {**whole, "userToken": "other"}).status == 400
    place = {"name": "Ad", "source": "social-a", "app": app["_id"], "pageId": PAGE, "formId": FORM}
    said = {
        "app": "Log in to the social account again, then choose the form.",
        "pageId": "Choose the page of the social account.",
        "formId": "Choose the form of the ad.",
    }
    for name, words in said.items():
        answer = cast.key.post("/form", {key: value for key, value in place.items() if key != name})
        assert (answer.status, answer.body["message"]) == (400, words)
    fields = [{"key": "email", "label": "Email"}, {"key": "phone", "label": "Phone"}]
    made = cast.key.post("/form", {**place, "fields": fields, "mapping": {"email": "email", "phone": "number"}})
    platform.subscribes = False
    assert (
        cast.key.post(f"/form/{made.data['_id']}/publish").body["message"]
        == "The social account refused to send leads. Log in to the account again."
    )
    assert cast.key.put(f"/apps/social-a/{app['_id']}", {"appId": "901"}).status == 400  # secrets belong to their app
    with cast.scope():
        assert Form.objects.get().state == "draft"
