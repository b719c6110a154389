"""The page of one's own account: name and theme, password, companies and invites."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import Member, RefreshToken, User
from tests.accounts.auth.helpers import OTHER
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory
from tests.web.helpers import PASSWORD, at, enter, text_of, toast_of


@pytest.fixture
def client(cast: Cast) -> Any:
    return enter(cast.owner)


def test_name_and_theme_are_kept(cast: Cast, client: Any) -> None:
    User.objects.filter(pk=cast.owner.user_id).update(layout={"density": "high"})
    saved = client.post("/account", {"do": "profile", "name": "Dana May", "theme": "dark"})
    assert "Saved" in toast_of(client, saved)
    user = User.objects.get(pk=cast.owner.user_id)
    assert (user.name, user.dark_mode, user.layout) == ("Dana May", True, {"density": "high", "theme": "dark"})
    assert '<html lang="en" data-theme="dark">' in client.get(at(cast.owner)).content.decode()
    wrong = client.post("/account", {"do": "profile", "name": "", "theme": "neon"})
    assert (wrong.status_code, 'id="f-name-error"' in wrong.content.decode()) == (422, True)
    client.post("/account", {"do": "profile", "name": "Dana", "theme": ""})
    assert User.objects.get(pk=user.pk).layout == {"density": "high"}


def test_a_new_password_ends_other_sessions_and_keeps_this_one(cast: Cast, client: Any) -> None:
    other = enter(cast.owner)
    assert other.get(at(cast.owner)).status_code == 200
    wrong = client.post("/account", {"do": "password", "currentPassword": "nope", "newPassword": OTHER})
    assert (wrong.status_code, "is not your password" in text_of(wrong)) == (422, True)
    weak = client.post("/account", {"do": "password", "currentPassword": PASSWORD, "newPassword": "12345678"})
    assert (weak.status_code, 'id="f-newPassword-error"' in weak.content.decode()) == (422, True)
    assert "12345678" not in weak.content.decode()
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
    assert f'value="{outsiders.narrow.pk}"' in page.content.decode()
    accepted = client.post("/account", {"do": "accept", "id": outsiders.narrow.pk})
    assert "You are a member now" in toast_of(client, accepted)
    assert client.get(f"/c/{outsiders.company.pk}/").status_code == 200
    assert client.post("/account", {"do": "accept", "id": "../profile"}).status_code == 400


def test_a_person_without_company_has_an_account(db: None) -> None:
    user = UserFactory()
    client = enter(Member(user=user))
    assert client.get("/")["Location"] == "/account"
    page = client.get("/account")
    assert (page.status_code, "You are no member of a company" in text_of(page)) == (200, True)
