"""What anybody may send is bounded, on every route that takes something without a log-in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver

from config.headers import LOGGED_IN
from tests.guards.routes import routed
from tests.kit.cast import Cast
from tests.outreach.booking.helpers import VISITOR, make_page, open_at, path_of
from tests.outreach.forms.conftest import FIELDS
from tests.outreach.widgets.helpers import SITE, made

MISSING = "0" * 24
KB = 1024


def public_addresses() -> list[str]:
    """An address of each route that is not behind a log-in."""
    found = []
    for pattern, _ in routed(get_resolver().url_patterns):
        plain = re.sub(r"<(?:\w+:)?\w+>", MISSING, pattern)
        plain = plain.replace("(?P<token>[A-Za-z0-9_-]{34})", "x" * 34).replace("(?P<company>[0-9a-f]{24})", MISSING)
        address = "/" + re.sub(r"[\^$\\]|\\Z|Z\Z", "", plain)
        if not LOGGED_IN.match(address):
            found.append(address)
    return sorted({*found})


def send(address: str, size: int, kind: str = "application/json", **headers: Any) -> Any:
    """Say that a body has so many bytes; it is refused, or not, before it is read."""
    client = Client(raise_request_exception=False)
    return client.generic("POST", address, b"{}", content_type=kind, CONTENT_LENGTH=str(size), headers=headers)


def is_refused(answer: Any) -> bool:
    return answer.status_code == 413 or (answer.status_code == 400 and b"larger than" in answer.content)


@pytest.mark.undescribed("methods that routes do not have are refused before any view, too")
def test_every_public_route_refuses_what_is_too_large(db: None, subtests: pytest.Subtests) -> None:
    addresses = public_addresses()
    for known in ("/f/", "/booking/", "/hooks/chatapp/", "/api/public/login", "/api/public/workflow-hooks/", "/login"):
        assert any(one.startswith(known) for one in addresses), known
    assert len(addresses) > 50
    for address in addresses:
        with subtests.test(address):
            assert is_refused(send(address, settings.PUBLIC_BODY_BYTES + 1)), address
    for address in (
        "/api/key/protected/contact",
        "/api/protected/upload",
        "/api/private/profile",
        f"/c/{MISSING}/files",
    ):
        assert not is_refused(send(address, settings.PUBLIC_BODY_BYTES + 1)), address


def test_some_take_less(cast: Cast) -> None:
    page, widget = make_page(cast, noticeMinutes=0), made(cast)
    mapping = {"name": "name", "email": "email", "phone": "number"}
    form = cast.key.post("/form", {"name": "Fair", "fields": FIELDS, "mapping": mapping}).data
    form = cast.key.post(f"/form/{form['_id']}/publish").data
    offered = cast.key.get(f"/booking-page/{page['_id']}/slots").data["slots"][0]["startsAt"]
    hidden = open_at(page, offered.replace("Z", "+00:00"))
    body = {"startsAt": offered, "answers": VISITOR, "page": hidden["page"]}
    booked = cast.key.client.post(f"/api/public{path_of(page)}", body, content_type="application/json")
    booking = "/" + booked.json()["data"]["url"].split("/", 3)[3]
    page_kind = "application/x-www-form-urlencoded"
    for address, most, kind, headers in (
        (path_of(page), 256 * KB, page_kind, {}),
        (booking, 256 * KB, page_kind, {}),
        ("/" + form["url"].split("/", 3)[3], 256 * KB, page_kind, {}),
        (f"/api/public/widget/{widget['token']}/start", 32 * KB, "application/json", {"Origin": SITE}),
    ):
        assert is_refused(send(address, most + 1, kind, **headers)), address
        assert not is_refused(send(address, 2, kind, **headers)), address
