from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from accounts.auth.sessions import tokens
from accounts.auth.sessions.services import purge_refresh_tokens
from accounts.models import RefreshToken, User
from accounts.users.services import end_sessions
from core.crypto import lookup_hash
from tests.accounts.auth.helpers import INVALID, PASSWORD, private, public
from tests.kit.cast import Answer
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.usefixtures("nobody")


@pytest.fixture
def user(db: None) -> User:
    return UserFactory()


def log_in(user: User) -> Any:
    return public.post("/login", {"email": user.email, "password": PASSWORD}).data


def refresh(token: str) -> Answer:
    return public.post("/refresh", {"refreshToken": token})


def is_open(session: Any) -> bool:
    return private(session["token"]).get("/memberships").status == 200


def test_a_session_goes_on_under_fresh_tokens(user: User) -> None:
    first = log_in(user)
    second = refresh(first["refreshToken"])
    assert second.status == 200
    assert second.data["user"]["_id"] == user.pk
    assert second.data["token"] != first["token"]
    assert second.data["refreshToken"] != first["refreshToken"]
    assert is_open(first)
    assert is_open(second.data)
    assert RefreshToken.objects.values("family").distinct().count() == 1


def test_a_second_use_ends_the_session_at_once(user: User) -> None:
    first, other = log_in(user), log_in(user)
    second = refresh(first["refreshToken"]).data
    reused = refresh(first["refreshToken"])
    assert (reused.status, reused.body["message"]) == (401, INVALID)
    assert refresh(second["refreshToken"]).status == 401
    assert not is_open(first)
    assert not is_open(second)
    assert is_open(other)


def test_it_runs_out_after_thirty_days(user: User) -> None:
    session = log_in(user)
    with time_machine.travel(timezone.now() + timedelta(days=30, seconds=1), tick=False):
        assert refresh(session["refreshToken"]).body["message"] == INVALID
    with time_machine.travel(timezone.now() + timedelta(days=30, seconds=-5), tick=False):
        assert refresh(session["refreshToken"]).status == 200


def test_ended_sessions_and_deactivated_users_do_not_go_on(user: User) -> None:
    session = log_in(user)
    end_sessions(user_id=user.pk)
    assert refresh(session["refreshToken"]).status == 401
    session = log_in(user)
    User.objects.update(is_active=False)
    assert refresh(session["refreshToken"]).status == 401


@pytest.mark.parametrize("token", ["x", "x" * 1000, "\u00fc", "null"])
def test_unknown_tokens(user: User, token: str) -> None:
    answer = refresh(token)
    assert (answer.status, answer.body["message"]) == (401, INVALID)


def test_tokens_are_not_stored_as_they_are(user: User) -> None:
    session = log_in(user)
    row = RefreshToken.objects.get()
    assert row.token_hash == lookup_hash(session["refreshToken"])
    assert session["refreshToken"] not in str(RefreshToken.objects.values().get())


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_goes_through_and_the_session_ends() -> None:
    session = log_in(UserFactory())

    def attempt(_: int) -> Answer:
        try:
            return refresh(session["refreshToken"])
        finally:
            connection.close()

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(attempt, range(10)))
    assert sorted(answer.status for answer in answers) == [200] + [401] * 9
    assert RefreshToken.objects.count() == 2
    [winner] = [answer.data for answer in answers if answer.status == 200]
    assert not is_open(winner)
    assert refresh(winner["refreshToken"]).status == 401


@pytest.mark.django_db(transaction=True)
def test_nobody_renews_a_session_while_another_one_ends_it() -> None:
    user = UserFactory()
    for _ in range(10):
        session = log_in(user)

        def act(which: str, session: Any = session) -> Answer:
            try:
                return public.post(f"/{which}", {"refreshToken": session["refreshToken"]})
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            renewed, _ended = pool.map(act, ("refresh", "logout"))
        assert not is_open(session)
        if renewed.status == 200:
            assert not is_open(renewed.data)
            assert refresh(renewed.data["refreshToken"]).status == 401


def test_what_has_run_out_is_purged_in_pieces(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.auth.sessions.services.MAX_PURGED", 2)
    with time_machine.travel(timezone.now() - timedelta(days=30, minutes=1), tick=False):
        for _ in range(5):
            tokens.issue(user)
    kept = tokens.issue(user)
    assert [purge_refresh_tokens() for _ in range(3)] == [True, True, False]
    assert RefreshToken.objects.get().token_hash == lookup_hash(kept.refresh)
