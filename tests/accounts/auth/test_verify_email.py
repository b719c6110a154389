from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from accounts.auth.links import make_token
from accounts.models import User
from tests.accounts.auth.helpers import (
    DEAD,
    OTHER,
    PASSWORD,
    at,
    kinds_to,
    logins,
    mails_to,
    private,
    public,
    register,
    token_in,
)
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.usefixtures("nobody")

BAD_TOKENS = ("x", "x" * 1000, "a:b:c", "WyJ4Il0:1abc:def", "\u00fc", "..", "null")


@pytest.mark.django_db
def test_the_link_verifies_and_logs_in() -> None:
    answer = public.post("/verify-email", {"token": register()})
    assert (answer.status, answer.body["message"]) == (200, "Your email address is verified.")
    user = User.objects.get()
    assert user.email_verified_at is not None
    assert answer.data["user"]["_id"] == user.pk
    assert private(answer.data["token"]).get("/memberships").status == 200
    [log] = logins(user=user)
    assert (log.status, log.reason, log.company.name) == ("success", "verified the address", "Acme")


@pytest.mark.django_db
def test_a_link_works_once() -> None:
    token = register()
    assert public.post("/verify-email", {"token": token}).status == 200
    again = public.post("/verify-email", {"token": token})
    assert (again.status, again.body["message"]) == (400, DEAD)


@pytest.mark.django_db
def test_a_link_runs_out() -> None:
    token = register()
    with time_machine.travel(timezone.now() + timedelta(days=3, seconds=2), tick=False):
        assert public.post("/verify-email", {"token": token}).body["message"] == DEAD
    with time_machine.travel(timezone.now() + timedelta(days=3, seconds=-10), tick=False):
        assert public.post("/verify-email", {"token": token}).status == 200


@pytest.mark.django_db
def test_a_new_password_ends_the_link() -> None:
    token = register()
    user = User.objects.get()
    user.set_password(OTHER)
    user.save()
    assert public.post("/verify-email", {"token": token}).body["message"] == DEAD


@pytest.mark.parametrize("token", BAD_TOKENS)
@pytest.mark.django_db
def test_malformed_links(token: str) -> None:
    for path, body in (("/verify-email", {"token": token}), ("/reset-password", {"token": token, "password": OTHER})):
        answer = public.post(path, body)
        assert (answer.status, answer.body["message"]) == (400, DEAD)


@pytest.mark.django_db
def test_links_serve_their_own_purpose_and_account_only() -> None:
    token = register()
    stranger = UserFactory(email_verified_at=None)
    assert public.post("/reset-password", {"token": token, "password": OTHER}).body["message"] == DEAD
    assert public.post("/verify-email", {"token": make_token("verify-email", stranger.pk, "")}).body["message"] == DEAD
    assert public.post("/verify-email", {"token": make_token("verify-email", "0" * 24, "")}).body["message"] == DEAD
    assert (
        public.post("/verify-email", {"token": token[:-1] + ("A" if token[-1] != "A" else "B")}).body["message"] == DEAD
    )
    stranger.refresh_from_db()
    assert stranger.email_verified_at is None


@pytest.mark.django_db
def test_a_deactivated_account_stays_shut() -> None:
    token = register()
    User.objects.update(is_active=False)
    assert public.post("/verify-email", {"token": token}).body["message"] == DEAD


@pytest.mark.django_db
def test_the_mail_is_sent_again_to_who_needs_it_and_nobody_can_tell() -> None:
    UserFactory(email="new@example.org", email_verified_at=None)
    UserFactory(email="old@example.org")
    UserFactory(email="off@example.org", email_verified_at=None, is_active=False)
    addresses = ("new@example.org", "old@example.org", "off@example.org", "nobody@example.org", "no address")
    answers = [public.post("/resend-verification", {"email": address}) for address in addresses]
    assert {answer.status for answer in answers} == {200}
    assert len({str(answer.body) for answer in answers}) == 1
    assert [kinds_to(address) for address in addresses] == [["verify_email"], [], [], [], []]
    assert public.post("/verify-email", {"token": token_in(mails_to("new@example.org")[0])}).status == 200


@pytest.mark.django_db
def test_a_login_before_verifying_sends_the_mail_again_for_the_right_password_only() -> None:
    UserFactory(email="new@example.org", email_verified_at=None)
    wrong = public.post("/login", {"email": "new@example.org", "password": "wrong"})
    assert mails_to("new@example.org") == []
    right = public.post("/login", {"email": "new@example.org", "password": PASSWORD})
    nobody = public.post("/login", {"email": "nobody@example.org", "password": PASSWORD})
    assert wrong.status == right.status == nobody.status == 400
    assert wrong.body == right.body == nobody.body
    assert kinds_to("new@example.org") == ["verify_email"]


@pytest.mark.django_db
def test_an_accounts_mails_are_limited_in_silence(limits: None) -> None:
    UserFactory(email="new@example.org", email_verified_at=None)
    answers = [at(f"10.0.0.{n}", "/resend-verification", {"email": "NEW@example.org"}) for n in range(8)]
    assert {answer.status for answer in answers} == {200}
    assert len(mails_to("new@example.org")) == 5


@pytest.mark.django_db
def test_guesses_are_limited(limits: None) -> None:
    answers = [at("10.0.0.1", "/verify-email", {"token": "x"}).status for _ in range(61)]
    assert answers == [400] * 60 + [429]
