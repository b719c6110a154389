"""What anybody may send is bounded, on every route that takes something without a log-in."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver
from django.utils import timezone

from accounts.auth.models import RefreshToken
from accounts.models import User
from config.serving.headers import CHECKED_FIRST
from tests.guards.routes import routed
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory
from tests.outreach.chat.widgets.helpers import SITE, made
from tests.outreach.site.booking.helpers import VISITOR, make_page, open_at, path_of
from tests.outreach.site.forms.conftest import FIELDS
from tests.web.helpers import enter

MISSING = "0" * 24
KB = 1024


def public_addresses() -> list[str]:
    """Return an address of each route that reads its body before it knows who sent it."""
    found = []
    for pattern, _ in routed(get_resolver().url_patterns):
        plain = re.sub(r"<(?:\w+:)?\w+>", MISSING, pattern)
        plain = plain.replace("(?P<token>[A-Za-z0-9_-]{34})", "x" * 34).replace("(?P<company>[0-9a-f]{24})", MISSING)
        address = "/" + re.sub(r"[\^$\\]|\\Z|Z\Z", "", plain)
        if not CHECKED_FIRST.match(address):
            found.append(address)
    return sorted({*found})


def send(
    address: str, size: int, kind: str = "application/json", *, client: Client | None = None, **headers: Any
) -> Any:
    """Announce a body of so many bytes, which is refused, or not, before it is read."""
    client = client or Client(raise_request_exception=False)
    return client.generic("POST", address, b"{}", content_type=kind, CONTENT_LENGTH=str(size), headers=headers)


def is_refused(answer: Any) -> bool:
    return answer.status_code == 413 or (answer.status_code == 400 and b"larger than" in answer.content)


@pytest.mark.undescribed("methods that routes do not have are refused before any view, too")
def test_every_public_route_refuses_what_is_too_large(db: None, subtests: pytest.Subtests) -> None:
    addresses = public_addresses()
    for known in ("/f/", "/booking/", "/hooks/chatapp/", "/api/public/login", "/login", "/admin/", "/account", "/c/"):
        assert any(one.startswith(known) for one in addresses), known
    assert len(addresses) > 50
    for address in addresses:
        with subtests.test(address):
            assert is_refused(send(address, settings.PUBLIC_BODY_BYTES + 1)), address
    for address in (
        "/api/key/protected/contact",
        "/api/protected/upload",
        "/api/private/profile",
    ):
        assert not is_refused(send(address, settings.PUBLIC_BODY_BYTES + 1)), address


def test_who_has_logged_in_sends_files_up_to_the_limit(cast: Cast) -> None:
    member = enter(cast.owner, raise_request_exception=False)
    staff = Client(raise_request_exception=False)
    stranger = Client()
    staff.force_login(UserFactory(is_staff=True))
    stranger.cookies[settings.SESSION_COOKIE_NAME] = "made-up-by-a-stranger-0000000000"
    address = f"/c/{cast.company.pk}/files"
    for client, is_known in ((member, True), (staff, True), (stranger, False), (Client(), False)):
        large = send(address, settings.PUBLIC_BODY_BYTES + 1, client=client)
        assert is_refused(large) is not is_known
        assert is_refused(send(address, settings.MAX_UPLOAD_BYTES + 2**20 + 1, client=client))


def test_a_session_that_was_ended_sends_no_files(cast: Cast) -> None:
    member, staff = enter(cast.owner, raise_request_exception=False), Client(raise_request_exception=False)
    user = UserFactory(is_staff=True)
    staff.force_login(user)
    address = f"/c/{cast.company.pk}/files"
    RefreshToken.objects.update(revoked_at=timezone.now())
    User.objects.filter(pk=user.pk).update(is_active=False)
    for client in (member, staff):
        assert is_refused(send(address, settings.PUBLIC_BODY_BYTES + 1, client=client))


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
