"""The browser's session: log-in with the API's limits and log, one session row with its tokens, log-out, companies."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.contrib.sessions.models import Session
from django.test import Client, override_settings
from django.utils import timezone

from accounts.auth.sessions import tokens
from accounts.auth.sessions.browser_sessions import purge_browser_sessions
from accounts.models import LoginLog, Member, RefreshToken, User
from core.ids import new_id
from tests.accounts.auth.helpers import logins
from tests.kit.cast import Cast
from tests.kit.factories import UserFactory
from tests.kit.html import html_of
from tests.web.helpers import PASSWORD, at, enter, text_of


def log_in(client: Client, email: str, password: str = PASSWORD, **more: str) -> Any:
    return client.post("/login", {"email": email, "password": password, **more})


def test_who_logs_in_comes_to_their_company(cast: Cast) -> None:
    client = Client()
    planted = client.session
    planted["x"] = 1
    planted.save()
    client.cookies["sessionid"] = planted.session_key
    assert client.get("/")["Location"] == "/login"
    answer = log_in(client, cast.owner.email)
    assert (answer.status_code, answer["Location"]) == (303, at(cast.owner))
    cookie = answer.cookies["sessionid"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie.value != planted.session_key
    assert client.get("/")["Location"] == client.get("/login")["Location"] == at(cast.owner)
    assert client.get(at(cast.owner)).status_code == 200
    assert [(row.status, row.email) for row in logins()] == [(LoginLog.Status.SUCCESS, cast.owner.email)]
    assert RefreshToken.objects.filter(user=cast.owner.user, revoked_at__isnull=True).count() >= 1


def test_a_wrong_password_is_said_and_logged(cast: Cast) -> None:
    for email in (cast.owner.email, "nobody@example.org"):
        answer = log_in(Client(), email, "wrong")
        assert answer.status_code == 400
        assert "email or password is wrong" in text_of(answer)
        assert "sessionid" not in answer.cookies
    assert {row.status for row in logins()} == {LoginLog.Status.FAILED}


def test_attempts_are_limited_as_the_apis(cast: Cast, limits: None) -> None:
    client = Client()
    answers = [log_in(client, cast.owner.email, "wrong") for _ in range(10)]
    refused = log_in(client, cast.owner.email)
    assert [answer.status_code for answer in answers] == [400] * 10
    assert (refused.status_code, "Retry-After" in refused.headers) == (429, True)


def test_forms_need_the_csrf_token(cast: Cast) -> None:
    client = enter(cast.owner, enforce_csrf_checks=True)
    for path in ("/login", "/logout", "/account", at(cast.owner, "contacts"), at(cast.owner, "contacts/new")):
        assert client.post(path, {"email": "x"}).status_code == 403, path
    assert client.get(at(cast.owner)).status_code == 200


@pytest.mark.parametrize(
    ("wanted", "leads"), [("/account", True), ("//evil.example/", False), ("https://evil.example/", False)]
)
def test_next_leads_to_pages_of_ours_only(cast: Cast, wanted: str, leads: bool) -> None:
    assert log_in(Client(), cast.owner.email, next=wanted)["Location"] == (wanted if leads else at(cast.owner))


def test_without_a_session_pages_lead_to_the_log_in(cast: Cast) -> None:
    path = at(cast.owner, "contacts?q=ann")
    assert Client().get(path)["Location"] == f"/login?next=%2Fc%2F{cast.company.pk}%2Fcontacts%3Fq%3Dann"
    assert Client().get("/account").status_code == 302
    part = Client().get(path, headers={"HX-Request": "true"})
    assert (part.status_code, part["HX-Redirect"].startswith("/login?next=")) == (204, True)


def test_addresses_that_people_type_lead_on(cast: Cast) -> None:
    browser = enter(cast.owner)
    short = browser.get(f"/c/{cast.company.pk}")
    assert (short.status_code, short["Location"]) == (302, f"/c/{cast.company.pk}/")
    assert "Log out?" in html_of(browser.get("/logout"))
    assert browser.get(f"/c/{cast.company.pk}/").status_code == 200
    refused = browser.put(f"/c/{cast.company.pk}/contacts")
    assert (refused.status_code, "not available here" in html_of(refused)) == (405, True)
    assert Client().get("/logout")["Location"] == "/login"


def test_log_out_ends_the_session_and_its_tokens(cast: Cast) -> None:
    client = Client()
    log_in(client, cast.owner.email)
    family = client.session["member_session"]["sid"]
    stolen = client.cookies["sessionid"].value
    assert client.get("/logout").status_code == 200  # asks, and ends nothing
    assert client.post("/logout")["Location"] == "/login"
    assert not RefreshToken.objects.filter(family=family, revoked_at__isnull=True).exists()
    thief = Client()
    thief.cookies["sessionid"] = stolen
    assert thief.get(at(cast.owner)).status_code == 302


@pytest.mark.parametrize("how", ["revoked", "new password", "deactivated", "expired"])
def test_what_ends_sessions_ends_browsers_too(cast: Cast, how: str) -> None:
    client = Client()
    log_in(client, cast.owner.email)
    user = User.objects.get(pk=cast.owner.user_id)
    later = timezone.now()
    if how == "revoked":
        tokens.revoke_family(client.session["member_session"]["sid"])
    elif how == "new password":
        user.set_password("another one entirely")
        user.save()
    elif how == "deactivated":
        User.objects.filter(pk=user.pk).update(is_active=False)
    else:
        later += settings.REFRESH_TOKEN_LIFETIME + timedelta(minutes=1)
    with time_machine.travel(later, tick=False):
        for path in (at(cast.owner), "/account"):
            assert client.get(path)["Location"].startswith("/login"), path


def test_a_company_of_others_is_not_there(cast: Cast, outsiders: Cast) -> None:
    client = enter(cast.owner)
    for company in (outsiders.company.pk, new_id(), "x", "é"):
        for path in ("", "contacts", "nothing"):
            answer = client.get(f"/c/{company}/{path}")
            assert (answer.status_code, "Page not found" in text_of(answer)) == (404, True)


@pytest.mark.parametrize("status", ["blocked", "removed", "rejected", "invited"])
def test_only_members_at_work_enter(cast: Cast, status: str) -> None:
    with cast.scope():
        Member.objects.filter(pk=cast.narrow.pk).update(status=status)
    assert enter(cast.narrow).get(at(cast.narrow)).status_code == 404


def test_two_companies_in_two_tabs_never_cross(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        Member.objects.filter(pk=outsiders.owner.pk).update(user=cast.owner.user, email=cast.owner.email)
    client = enter(cast.owner)
    new = {"name": "Ann", "email": "ann@example.org", "countryCode": "+44", "number": "7400123456"}
    assert client.get(at(cast.owner)).status_code == client.get(at(outsiders.owner)).status_code == 200
    assert client.get("/")["Location"] == at(outsiders.owner)
    made = client.post(at(cast.owner, "contacts/new"), new)
    assert made.status_code == 303
    assert "ann@example.org" in html_of(client.get(at(cast.owner, "contacts")))
    assert "ann@example.org" not in html_of(client.get(at(outsiders.owner, "contacts")))
    own = made["Location"].rpartition("/")[2]
    assert client.get(at(outsiders.owner, f"contacts/{own}")).status_code == 404
    refused = client.post(at(outsiders.owner, f"contacts/{own}"), {"do": "delete"})
    assert refused.status_code == 303
    assert client.get(at(cast.owner, f"contacts/{own}")).status_code == 200


def test_a_session_of_the_back_office_keeps_its_own_end(cast: Cast) -> None:
    staff = UserFactory(is_staff=True, is_superuser=True)
    client = Client()
    client.force_login(staff)
    before = client.session.get_expiry_date()
    log_in(client, cast.owner.email)
    assert client.get("/admin/").status_code == 200
    assert abs(client.session.get_expiry_date() - before) < timedelta(minutes=1)
    client.post("/logout")
    assert client.get("/admin/").status_code == 200
    assert client.get(at(cast.owner)).status_code == 302


def test_members_do_not_enter_the_back_office(cast: Cast) -> None:
    User.objects.filter(pk=cast.owner.user_id).update(is_staff=True, is_superuser=True)
    client = Client()
    log_in(client, cast.owner.email)
    assert client.get("/admin/")["Location"].startswith("/admin/login/")


def test_the_demo_has_one_click_per_person(cast: Cast) -> None:
    user = UserFactory(email="demo@leadwright.example", name="Dana")
    with cast.scope():
        Member.objects.filter(pk=cast.owner.pk).update(user=user)
    client = Client()
    assert re.search(r"Dana.*Owner", text_of(client.get("/login")))
    assert client.post("/demo/enter", {"email": cast.narrow.email}).status_code == 404
    assert client.post("/demo/enter", {"email": user.email}, REMOTE_ADDR="192.0.2.1").status_code == 404
    with override_settings(DEMO=False):
        assert client.post("/demo/enter", {"email": user.email}).status_code == 404
        assert "Dana" not in text_of(client.get("/login"))
    assert client.post("/demo/enter", {"email": user.email})["Location"] == at(cast.owner)


def test_ended_sessions_are_deleted(cast: Cast) -> None:
    enter(cast.owner)
    assert (purge_browser_sessions(), Session.objects.count()) == (False, 1)
    with time_machine.travel(timezone.now() + settings.REFRESH_TOKEN_LIFETIME + timedelta(minutes=1), tick=False):
        assert (purge_browser_sessions(), Session.objects.count()) == (False, 0)
