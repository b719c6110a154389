"""An own form that is open, and a social app with a form of an ad."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from outreach.site.forms import public
from tests.kit.cast import Cast
from tests.kit.social_platform import FORM, PAGE, QUESTIONS, SECRET, USER_TOKEN, SocialPlatform, social_platform

FIELDS = [
    {"key": "name", "label": "Your name", "type": "text", "required": True},
    {"key": "email", "label": "Email", "type": "email", "required": True},
    {"key": "phone", "label": "Phone", "type": "phone", "required": True},
    {"key": "beans", "label": "Beans", "type": "multiSelect", "options": ["Arabica", "Robusta"]},
    {"key": "size", "label": "Size", "type": "select", "options": ["S", "L"]},
    {"key": "team", "label": "People", "type": "number"},
    {"key": "agree", "label": "Write to me.", "type": "consent", "required": True},
    {"key": "from", "label": "From", "type": "hidden", "value": "fair"},
]
MAPPING = {"name": "name", "email": "email", "phone": "number", "beans": "notes", "size": "contact.size"}


@pytest.fixture(scope="session")
def _platform() -> Iterator[SocialPlatform]:
    with social_platform() as found:
        yield found


@pytest.fixture
def platform(_platform: SocialPlatform, settings: Any) -> SocialPlatform:
    settings.VENDOR_BASE_URLS = {"social-a": _platform.url}
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    return _platform.reset()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let visitors be as fast as tests are."""
    monkeypatch.setattr(public, "TOO_FAST", timedelta(0))


@pytest.fixture
def form(cast: Cast) -> dict[str, Any]:
    field = {"name": "Size", "uniqueFieldID": "size", "fieldType": "text", "valueType": "string", "panel": "contact"}
    assert cast.key.post("/custom-field", field).status == 201
    tag = cast.key.post("/tag", {"name": "Fair"}).data["_id"]
    body = {"name": "Fair", "fields": FIELDS, "mapping": MAPPING, "tags": [tag], "countryCode": "+49"}
    made = cast.key.post("/form", body)
    assert made.status == 201, made.body
    opened = cast.key.post(f"/form/{made.data['_id']}/publish")
    assert opened.status == 200, opened.body
    found: dict[str, Any] = opened.data
    return found


@pytest.fixture
def app(cast: Cast, platform: SocialPlatform) -> dict[str, Any]:
    made = cast.key.post("/apps/social-a", {"appId": "900", "appSecret": SECRET, "userToken": USER_TOKEN})
    assert made.status == 201, made.body
    found: dict[str, Any] = made.data
    return found


@pytest.fixture
def ad(cast: Cast, app: dict[str, Any]) -> dict[str, Any]:
    body = {"name": "Autumn", "source": "social-a", "app": app["_id"], "pageId": PAGE, "formId": FORM}
    fields = [{**one, "type": "text"} for one in QUESTIONS]
    made = cast.key.post(
        "/form",
        {**body, "fields": fields, "mapping": {"full_name": "name", "email": "email", "phone_number": "number"}},
    )
    assert made.status == 201, made.body
    opened = cast.key.post(f"/form/{made.data['_id']}/publish")
    assert opened.status == 200, opened.body
    found: dict[str, Any] = opened.data
    return found
