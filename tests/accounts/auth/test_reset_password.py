from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from accounts.models import User
from core.access.attempts import Limit
from tests.accounts.auth.helpers import DEAD, OTHER, PASSWORD, at, kinds_to, logins, mails_to, private, public, token_in
from tests.kit.cast import Answer
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.usefixtures("nobody")


@pytest.fixture
def user(db: None) -> User:
    return UserFactory(email="ann@example.org", name="Ann Lee")


def ask() -> str:
    public.post("/forgot-password", {"email": "ann@example.org"})
    return token_in(mails_to("ann@example.org")[-1])


def reset(token: str, password: str = OTHER) -> Answer:
    return public.post("/reset-password", {"token": token, "password": password})


def test_a_new_password_ends_every_session_and_begins_one(user: User) -> None:
    before = public.post("/login", {"email": user.email, "password": PASSWORD}).data
    answer = reset(ask())
    assert (answer.status, answer.body["message"]) == (200, "Your new password is set.")
    assert answer.data["user"]["_id"] == user.pk
    assert private(before["token"]).get("/memberships").status == 401
    assert public.post("/refresh", {"refreshToken": before["refreshToken"]}).status == 401
    assert private(answer.data["token"]).get("/memberships").status == 200
    assert public.post("/refresh", {"refreshToken": answer.data["refreshToken"]}).status == 200
    assert public.post("/login", {"email": user.email, "password": PASSWORD}).status == 400
    assert public.post("/login", {"email": user.email, "password": OTHER}).status == 200
    assert kinds_to(user.email) == ["reset_password", "password_changed"]
    assert [row.reason for row in logins(user=user)] == ["", "set a new password", "wrong password", ""]


def test_the_address_is_verified_by_it(user: User) -> None:
    User.objects.update(email_verified_at=None)
    assert reset(ask()).status == 200
    user.refresh_from_db()
    assert user.email_verified_at is not None


def test_a_link_works_once_and_ends_the_others(user: User) -> None:
    first, second = ask(), ask()
    assert reset(second).status == 200
    for token in (first, second):
        answer = reset(token, "yet another password")
        assert (answer.status, answer.body["message"]) == (400, DEAD)
    assert User.objects.get().check_password(OTHER)


def test_a_link_runs_out_after_an_hour(user: User) -> None:
    token = ask()
    with time_machine.travel(timezone.now() + timedelta(hours=1, seconds=2), tick=False):
        assert reset(token).body["message"] == DEAD
    with time_machine.travel(timezone.now() + timedelta(minutes=59), tick=False):
        assert reset(token).status == 200


def test_a_deactivated_account_stays_shut(user: User) -> None:
    token = ask()
    User.objects.update(is_active=False)
    assert reset(token).body["message"] == DEAD


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("short", "too short"),
        ("ann@example.org", "too similar to the email"),
        ("ann lee1", "too similar to the name"),
        ("password1", "too common"),
    ],
)
def test_a_weak_password_names_the_field_and_keeps_the_link(user: User, password: str, why: str) -> None:
    token = ask()
    answer = reset(token, password)
    assert answer.status == 400
    assert answer.body["message"].startswith("Validation error: password: ")
    assert why in answer.body["warning"]
    assert reset(token).status == 200


def test_it_opens_an_account_that_was_locked(user: User, limits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def log_in(ip: str, password: str) -> int:
        return at(ip, "/login", {"email": user.email, "password": password}).status

    assert [log_in("127.0.0.1", "wrong") for _ in range(11)] == [400] * 10 + [429]
    assert reset(ask()).status == 200
    assert log_in("127.0.0.1", OTHER) == 200
    monkeypatch.setattr("accounts.auth.limits.LOGINS_OF_ACCOUNT_ANYWHERE", Limit("anywhere", 10, 3600))
    assert [log_in(f"10.0.0.{n}", "wrong") for n in range(11)] == [400] * 10 + [429]
    assert reset(ask()).status == 200
    assert log_in("10.0.1.1", OTHER) == 200


def test_guesses_are_limited(db: None, limits: None) -> None:
    answers = [at("10.0.0.1", "/reset-password", {"token": "x", "password": OTHER}).status for _ in range(61)]
    assert answers == [400] * 60 + [429]


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_sets_its_password() -> None:
    UserFactory(email="ann@example.org")
    token = ask()

    def attempt(number: int) -> int:
        try:
            return reset(token, f"a long password, number {number}").status
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(attempt, range(8)))
    assert sorted(statuses) == [200] + [400] * 7
    assert User.objects.get().check_password(f"a long password, number {statuses.index(200)}")
    assert User.objects.get().session_version == 2
