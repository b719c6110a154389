"""The page of an invite's link: what it shows, both ways to accept, declining, and links that are over."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from accounts.models import Company, CompanySettings, Member, RefreshToken, User
from tests.accounts.auth.helpers import OTHER, PASSWORD, mails_to, public, token_in
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory

NEW = "nina@example.org"


@pytest.fixture
def token(cast: Cast) -> str:
    """The token of an invite to NEW."""
    assert cast.session.post("/member", {"email": NEW, "name": "Nina <b>", "role": cast.narrow.role_id}).status == 201
    return token_in(mails_to(NEW)[-1])


def page(path: str, **values: str) -> tuple[int, str]:
    """GET, or with values beside the token POST."""
    client = Client()
    response = client.post(path, values) if len(values) > 1 or path != "/invite" else client.get(path, values)
    assert response.headers["X-Robots-Tag"] == "noindex"
    assert response.headers["Cache-Control"] == "no-store"
    return response.status_code, response.content.decode()


def status(cast: Cast) -> str:
    with cast.scope():
        return Member.objects.get(email=NEW).status


def test_it_shows_company_role_and_inviter_and_changes_nothing(cast: Cast, token: str) -> None:
    code, text = page("/invite", token=token)
    assert code == 200
    for shown in (
        f"Join {cast.company.name}",
        cast.owner.name,
        NEW,
        cast.narrow.role.name,
        "Choose a password",
        "Decline",
    ):
        assert shown in text
    assert "Nina &lt;b&gt;" in text
    assert "Nina <b>" not in text
    assert status(cast) == "invited"


def test_it_has_the_companys_look(cast: Cast, token: str) -> None:
    with cast.scope():
        CompanySettings.objects.update_or_create(defaults={"app_name": "Harbour Desk"}, company=cast.company)
    assert "Harbour Desk" in page("/invite", token=token)[1]


def test_a_new_user_accepts(cast: Cast, token: str) -> None:
    browser = Client()
    entered = browser.post("/invite", {"token": token, "name": "Nina New", "password": PASSWORD})
    assert (entered.status_code, entered["Location"]) == (303, f"/c/{cast.company.pk}/")
    assert browser.get(entered["Location"]).status_code == 200
    assert status(cast) == "accepted"
    assert public.post("/login", {"email": NEW, "password": PASSWORD}).data["user"]["name"] == "Nina New"
    code, text = page("/invite", token=token)
    assert (code, "This link doesn't work" in text) == (400, True)
    assert ("Already accepted?" in text, "verif" in text) == (True, False)


def test_names_do_not_turn_the_sentence_around_them(cast: Cast) -> None:
    turned = "Eve \u202eEvil\u2067"
    with cast.scope():
        cast.owner.user.name = turned
        cast.owner.user.save()
        Company.objects.filter(pk=cast.company.pk).update(name=turned)
    assert cast.session.post("/member", {"email": NEW, "name": turned}).status == 201
    mail = mails_to(NEW)[-1]
    text = page("/invite", token=token_in(mail))[1]
    assert ("Eve Evil" in text, "<bdi>Eve Evil</bdi>" in text) == (True, True)
    for found in (mail.subject, mail.text, mail.html, text):
        assert not re.search("[\u202a-\u202e\u2066-\u2069]", found)


def test_who_is_logged_in_comes_to_the_new_company(cast: Cast, outsiders: Cast) -> None:
    """With the password of the account, as without a session, but to the company's first page."""
    guest = outsiders.owner.user
    guest.set_password(PASSWORD)
    guest.save()
    assert cast.session.post("/member", {"email": guest.email}).status == 201
    browser = Client()
    browser.post("/login", {"email": guest.email, "password": PASSWORD})
    entered = browser.post("/invite", {"token": token_in(mails_to(guest.email)[-1]), "password": PASSWORD})
    assert (entered.status_code, entered["Location"]) == (302, f"/c/{cast.company.pk}/")
    assert browser.get(entered["Location"]).status_code == 200


def test_a_weak_password_is_said_at_its_field(cast: Cast, token: str) -> None:
    for password in ("12345678", ""):
        code, text = page("/invite", token=token, name="Nina", password=password)
        assert (code, 'class="trouble"' in text) == (400, True)
        assert f"Join {cast.company.name}" in text
    assert not User.objects.filter(email=NEW).exists()


def test_who_has_an_account_accepts_with_its_password(cast: Cast, token: str) -> None:
    user = UserFactory(email=NEW)
    code, text = page("/invite", token=token)
    assert (code, "already has an account" in text, "Choose a password" in text) == (200, True, False)
    code, text = page("/invite", token=token, password=OTHER)
    assert (code, "Email or password is wrong" in text) == (400, True)
    assert status(cast) == "invited"
    browser = Client()
    entered = browser.post("/invite", {"token": token, "password": PASSWORD})
    assert (entered.status_code, entered["Location"]) == (303, f"/c/{cast.company.pk}/")
    assert browser.get(entered["Location"]).status_code == 200
    with cast.scope():
        assert Member.objects.get(email=NEW).user == user
    assert status(cast) == "accepted"
    assert RefreshToken.objects.filter(user=user, revoked_at__isnull=True).count() == 1


def test_declining_asks_for_nothing(cast: Cast, token: str) -> None:
    asked = Client().get("/invite/decline", {"token": token})
    assert (asked.status_code, "Accept" in asked.content.decode()) == (200, False)
    assert status(cast) == "invited"
    code, text = page("/invite/decline", token=token)
    assert (code, "You have declined" in text) == (200, True)
    assert status(cast) == "rejected"


def test_an_expired_invite_says_so(cast: Cast, token: str) -> None:
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        for values in ({"token": token}, {"token": token, "name": "Nina", "password": PASSWORD}):
            code, text = page("/invite", **values)
            assert (code, "The invite has expired" in text) == (400, True)


@pytest.mark.parametrize("bad", ["", "x", "é", "a" * 5000])
def test_a_bad_link_is_no_error(db: None, bad: str) -> None:
    code, text = page("/invite", token=bad)
    assert (code, "This link doesn't work" in text) == (400, True)


def test_forms_need_the_csrf_token(cast: Cast, token: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for path in ("/invite", "/invite/decline"):
        assert client.post(path, {"token": token, "name": "Nina", "password": PASSWORD}).status_code == 403
    assert status(cast) == "invited"
