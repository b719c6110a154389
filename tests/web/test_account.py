"""The page of one's own account: name and theme, password, companies and invites."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import Member, Notification, RefreshToken, User
from tests.accounts.auth.helpers import OTHER
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory
from tests.kit.html import html_of
from tests.web.helpers import PASSWORD, at, enter, text_of, toast_of


@pytest.fixture
def client(cast: Cast) -> Any:
    return enter(cast.owner)


def test_name_and_preferences_are_kept(cast: Cast, client: Any) -> None:
    User.objects.filter(pk=cast.owner.user_id).update(layout={"board": "wide"})
    assert "Saved" in toast_of(client, client.post("/account", {"do": "profile", "name": "Dana May"}))
    assert client.get(at(cast.owner)).status_code == 200  # the company whose pages are offered to begin with
    sent = {"theme": "dark", "density": "compact", "start": "contacts", "timezone": "Asia/Tokyo"}
    assert "Saved" in toast_of(client, client.post("/account", {"do": "preferences", **sent}))
    user = User.objects.get(pk=cast.owner.user_id)
    assert (user.name, user.dark_mode, user.layout) == ("Dana May", True, {"board": "wide", **sent})

    # Every page is so from its first byte on, times are the person's, and the log-in leads to their page.
    with cast.scope():
        noon = datetime(2026, 1, 2, 12, tzinfo=UTC)
        Notification.objects.create(member=cast.owner, kind="import.finished", text="Done")
        Notification.objects.update(created_at=noon)
    page = html_of(client.get(at(cast.owner, "notifications")))
    assert '<html lang="en" data-theme="dark" data-density="compact">' in page
    assert "2 Jan 2026, 21:00" in page
    assert client.get("/")["Location"] == at(cast.owner, "contacts")

    odd = {"do": "preferences", "theme": "neon", "density": "", "start": "job"}
    moon = client.post("/account", {**odd, "timezone": "Moon"})
    assert (moon.status_code, 'id="f-timezone-error"' in html_of(moon)) == (422, True)
    client.post("/account", {**odd, "timezone": "tokyo"})
    assert User.objects.get(pk=user.pk).layout == {"board": "wide", "timezone": "Asia/Tokyo"}
    client.post("/account", {**odd, "timezone": ""})
    assert User.objects.get(pk=user.pk).layout == {"board": "wide"}
    assert client.get("/")["Location"] == at(cast.owner)
    wrong = client.post("/account", {"do": "profile", "name": ""})
    assert (wrong.status_code, 'id="f-name-error"' in html_of(wrong)) == (422, True)


def test_a_new_password_ends_other_sessions_and_keeps_this_one(cast: Cast, client: Any) -> None:
    other = enter(cast.owner)
    assert other.get(at(cast.owner)).status_code == 200
    wrong = client.post("/account", {"do": "password", "currentPassword": "nope", "newPassword": OTHER})
    assert (wrong.status_code, "Enter your current password" in text_of(wrong)) == (422, True)
    weak = client.post("/account", {"do": "password", "currentPassword": PASSWORD, "newPassword": "12345678"})
    assert (weak.status_code, 'id="f-newPassword-error"' in html_of(weak)) == (422, True)
    assert "12345678" not in html_of(weak)
    done = client.post("/account", {"do": "password", "currentPassword": PASSWORD, "newPassword": OTHER})
    assert "Your new password is set" in toast_of(client, done)
    assert client.get(at(cast.owner)).status_code == 200
    assert other.get(at(cast.owner)).status_code == 302
    assert RefreshToken.objects.filter(user=cast.owner.user, revoked_at__isnull=True).count() == 1


def test_companies_and_invites(cast: Cast, outsiders: Cast, client: Any) -> None:
    with outsiders.scope():
        Member.objects.filter(pk=outsiders.narrow.pk).update(
            user=None, email=cast.owner.email, status="invited", invite_expires_at=None
        )
    page = client.get("/account")
    assert cast.company.name in text_of(page)
    assert f'value="{outsiders.narrow.pk}"' in html_of(page)
    accepted = client.post("/account", {"do": "accept", "id": outsiders.narrow.pk})
    assert "You are a member now" in toast_of(client, accepted)
    assert client.get(f"/c/{outsiders.company.pk}/").status_code == 200
    assert client.post("/account", {"do": "accept", "id": "../profile"}).status_code == 400


def test_a_person_without_company_has_an_account(db: None) -> None:
    user = UserFactory()
    client = enter(Member(user=user))
    assert client.get("/")["Location"] == "/account"
    page = client.get("/account")
    assert (page.status_code, "You are not a member of any company" in text_of(page)) == (200, True)
