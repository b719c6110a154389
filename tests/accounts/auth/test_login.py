from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth import hashers
from django.contrib.auth.hashers import MD5PasswordHasher, make_password
from django.utils import timezone

from accounts.auth.limits import LOGINS_OF_ACCOUNT, LOGINS_OF_ACCOUNT_ANYWHERE
from accounts.models import Member, User
from core.access.attempts import Limit
from core.tenancy import company_scope
from tests.accounts.auth.helpers import PASSWORD, at, logins, private, public
from tests.kit.cast import Cast
from tests.kit.factories import CompanyFactory, MemberFactory, RoleFactory, UserFactory


def log_in(email: str, password: str = PASSWORD) -> Any:
    return public.post("/login", {"email": email, "password": password})


def test_a_session(cast: Cast) -> None:
    answer = log_in(cast.owner.email.upper())
    assert (answer.status, answer.body["message"]) == (200, "Logged in.")
    user = cast.owner.user
    assert set(answer.data) == {"token", "refreshToken", "expiresIn", "user", "memberships"}
    assert answer.data["expiresIn"] == 3600
    assert {key: answer.data["user"][key] for key in ("_id", "name", "email")} == {
        "_id": user.pk,
        "name": user.name,
        "email": user.email,
    }
    assert answer.data["memberships"] == [
        {
            "_id": cast.owner.pk,
            "status": "owner",
            "company": {"_id": cast.company.pk, "name": cast.company.name, "email": cast.company.email},
        }
    ]
    assert private(answer.data["token"]).get("/memberships").status == 200


def test_memberships_that_are_over_or_not_begun_are_not_offered(cast: Cast) -> None:
    for status in (
        Member.Status.BLOCKED,
        Member.Status.INVITED,
        Member.Status.REMOVED,
        Member.Status.REJECTED,
        Member.Status.EXPIRED,
    ):
        with company_scope(CompanyFactory().pk):
            MemberFactory(user=cast.owner.user, status=status, role=RoleFactory())
    assert sorted(row["status"] for row in log_in(cast.owner.email).data["memberships"]) == ["blocked", "owner"]


def test_a_login_is_written_down_for_each_company(cast: Cast) -> None:
    with company_scope(CompanyFactory().pk):
        other = MemberFactory(user=cast.owner.user, status=Member.Status.BLOCKED, role=RoleFactory())
    before = timezone.now()
    body = {"email": cast.owner.email, "password": PASSWORD}
    assert at("203.0.113.7", "/login", body, HTTP_USER_AGENT="Browser\x00 9").status == 200
    rows = logins(user=cast.owner.user)
    assert {row.company_id for row in rows} == {cast.company.pk, other.company_id}
    assert {(row.status, row.reason, row.ip, row.user_agent, row.email) for row in rows} == {
        ("success", "", "203.0.113.7", "Browser 9", cast.owner.email)
    }
    cast.owner.user.refresh_from_db()
    assert cast.owner.user.last_login >= before


BAD: dict[str, tuple[dict[str, Any], str, str]] = {
    "wrong": ({}, "wrong", "wrong password"),
    "deactivated": ({"is_active": False}, PASSWORD, "the account is deactivated"),
    "unverified": ({"email_verified_at": None}, PASSWORD, "the address is not verified"),
    "no password set": ({"password": make_password(None)}, PASSWORD, "wrong password"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_written_down_and_not_answered(case: str, cast: Cast) -> None:
    values, password, reason = BAD[case]
    User.objects.filter(pk=cast.owner.user_id).update(**values)
    refused, unknown = log_in(cast.owner.email, password), log_in("nobody@example.org", password)
    assert refused.status == unknown.status == 400
    assert refused.body == unknown.body
    assert refused.body["message"] == "The log-in details are wrong."
    [row] = logins(user=cast.owner.user)
    assert (row.company_id, row.status, row.reason) == (cast.company.pk, "failed", reason)
    [row] = logins(email="nobody@example.org")
    assert (row.company_id, row.user_id, row.status, row.reason) == (None, None, "failed", "unknown address")
    cast.owner.user.refresh_from_db()
    assert cast.owner.user.last_login is None


@pytest.mark.django_db
def test_a_user_without_company_is_written_down_for_the_staff() -> None:
    user = UserFactory()
    assert log_in(user.email).data["memberships"] == []
    [row] = logins(user=user)
    assert (row.company_id, row.status) == (None, "success")


@pytest.mark.django_db
def test_a_password_typed_as_address_is_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    assert log_in("zq-my-secret-zq", "zq-my-secret-zq").status == 400
    assert [row.email for row in logins()] == ["(no email address)"]
    assert "zq-my-secret-zq" not in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"email": "a@example.org"},
        {"email": 1, "password": "x"},
        {"email": "a", "password": ["x"]},
        {"email": "", "password": ""},
    ],
)
@pytest.mark.django_db
def test_bad_bodies(body: dict[str, Any]) -> None:
    assert public.post("/login", body).status == 400
    assert logins() == []


@pytest.mark.parametrize("password", [PASSWORD, "wrong"])
@pytest.mark.django_db
def test_as_much_hashing_for_an_unknown_address(monkeypatch: pytest.MonkeyPatch, password: str) -> None:
    UserFactory(email="ann@example.org", email_verified_at=None)
    done: list[str] = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda self, raw, salt: done.append(raw) or encode(self, raw, salt)
    )
    log_in("ann@example.org", password)
    known = list(done)
    done.clear()
    log_in("nobody@example.org", password)
    assert done == known == [password]


@pytest.mark.django_db
def test_refusals_take_their_time(settings: Any) -> None:
    settings.EVEN_ANSWERS = True
    UserFactory(email="ann@example.org", email_verified_at=None)
    spent = []
    for email in ("ann@example.org", "nobody@example.org"):
        started = time.monotonic()
        log_in(email)
        spent.append(time.monotonic() - started)
    assert min(spent) >= 0.2


@pytest.mark.django_db
def test_an_old_hash_is_renewed_and_sessions_go_on(settings: Any) -> None:
    user = UserFactory(email="ann@example.org")
    first = log_in("ann@example.org").data["token"]
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.ScryptPasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    second = log_in("ann@example.org").data["token"]
    user.refresh_from_db()
    assert user.password.startswith("scrypt$")
    assert hashers.check_password(PASSWORD, user.password)
    assert [private(token).get("/memberships").status for token in (first, second)] == [200, 200]


def test_the_production_hasher_is_argon2() -> None:
    from config import settings as production

    assert production.PASSWORD_HASHERS[0] == "django.contrib.auth.hashers.Argon2PasswordHasher"
    assert hashers.Argon2PasswordHasher().encode("x", "saltsalt").startswith("argon2$argon2id$")


# Limits


def attempt(cast: Cast, ip: str, password: str | None = None, *, upper: bool = False) -> Any:
    email = cast.owner.email
    return at(ip, "/login", {"email": email.upper() if upper else email, "password": password or "wrong"})


def test_an_account_is_locked_where_ten_attempts_failed_until_time_has_passed(cast: Cast, limits: None) -> None:
    assert [attempt(cast, "10.0.0.1", upper=n % 2 == 0).status for n in range(10)] == [400] * 10
    refused = attempt(cast, "10.0.0.1", PASSWORD)
    assert (refused.status, refused.body["message"]) == (429, "Too many attempts")
    assert 0 < int(refused.headers["Retry-After"]) <= 900
    assert [row.status for row in logins(user=cast.owner.user)] == ["failed"] * 10 + ["limited"]
    assert at("10.0.0.1", "/login", {"email": cast.narrow.email, "password": PASSWORD}).status == 200


def test_nobody_locks_somebody_elses_account(cast: Cast, limits: None) -> None:
    assert [attempt(cast, "10.0.0.1").status for _ in range(12)] == [400] * 10 + [429] * 2
    assert attempt(cast, "10.0.0.2", PASSWORD).status == 200
    assert attempt(cast, "10.0.0.1", PASSWORD).status == 429


def test_guesses_from_many_networks_have_a_limit_of_their_own(
    cast: Cast, limits: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert LOGINS_OF_ACCOUNT_ANYWHERE.most >= 50 * LOGINS_OF_ACCOUNT.most
    monkeypatch.setattr("accounts.auth.limits.LOGINS_OF_ACCOUNT_ANYWHERE", Limit("anywhere", 25, 3600))
    for ip in ("10.0.0.1", "10.0.0.2"):  # what one network may not do isn't counted against the others
        assert [attempt(cast, ip).status for _ in range(15)] == [400] * 10 + [429] * 5
    assert attempt(cast, "10.0.0.3", PASSWORD).status == 200
    assert [attempt(cast, "10.0.0.4").status for _ in range(6)] == [400] * 5 + [429]
    refused = attempt(cast, "10.0.0.5", PASSWORD)
    assert (refused.status, int(refused.headers["Retry-After"]) > 3000) == (429, True)


def test_a_success_forgives_the_account(cast: Cast, limits: None) -> None:
    for _ in range(3):
        assert [attempt(cast, "10.0.0.1").status for _ in range(9)] == [400] * 9
        assert attempt(cast, "10.0.0.1", PASSWORD).status == 200


@pytest.mark.django_db
def test_an_unknown_account_is_limited_alike(limits: None) -> None:
    answers = [at("10.0.0.1", "/login", {"email": "nobody@example.org", "password": "x"}).status for _ in range(11)]
    assert answers == [400] * 10 + [429]


def test_failures_of_an_address_are_counted_and_successes_are_not(cast: Cast, limits: None) -> None:
    for _ in range(35):
        assert at("10.0.0.1", "/login", {"email": cast.owner.email, "password": PASSWORD}).status == 200
    answers = [at("10.0.0.1", "/login", {"email": f"user{n}@example.org", "password": "x"}).status for n in range(31)]
    assert answers == [400] * 30 + [429]
    assert at("10.0.0.1", "/login", {"email": cast.owner.email, "password": PASSWORD}).status == 429
    assert at("10.0.0.2", "/login", {"email": cast.owner.email, "password": PASSWORD}).status == 200


@pytest.mark.django_db
def test_one_customer_of_ipv6_is_one_address(limits: None) -> None:
    answers = [
        at(f"2001:db8:1:2::{n:x}", "/login", {"email": f"user{n}@example.org", "password": "x"}).status
        for n in range(31)
    ]
    assert answers == [400] * 30 + [429]
    assert at("2001:db8:1:3::1", "/login", {"email": "a@example.org", "password": "x"}).status == 400


@pytest.mark.django_db
def test_refused_attempts_do_not_fill_the_log(limits: None) -> None:
    for n in range(60):
        at("10.0.0.1", "/login", {"email": f"user{n}@example.org", "password": "x"})
    assert [row.status for row in logins()] == ["failed"] * 30 + ["limited"] * 10


def test_a_login_of_tomorrow_is_another_one(cast: Cast) -> None:
    token = log_in(cast.owner.email).data["token"]
    with time_machine.travel(timezone.now() + timedelta(hours=1, seconds=5), tick=False):
        assert private(token).get("/memberships").status == 401
        assert private(log_in(cast.owner.email).data["token"]).get("/memberships").status == 200
