from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import connection

from accounts.models import Company, Mail, Member, Referral, User
from accounts.programs.referrals import make_code
from core.tenancy import unscoped
from core.tenancy.provisioning import company_created
from tests.accounts.auth.helpers import (
    OTHER,
    PASSWORD,
    at,
    kinds_to,
    mails_to,
    public,
    register,
    registration,
    token_in,
)
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.usefixtures("nobody")

ANSWER = {
    "status": "success",
    "success": True,
    "message": "Open the link in the email we sent you.",
    "data": {"email": "ann@example.org"},
}


def counts() -> tuple[int, int, int, int]:
    with unscoped(reason="test: everything there is"):
        return User.objects.count(), Company.objects.count(), Member.objects.count(), Mail.objects.count()


@pytest.mark.django_db
def test_a_user_with_a_company_of_their_own() -> None:
    contact = {"countryCode": "+49", "number": "030 123456"}
    answer = public.post("/register", registration("Ann@Example.org", timezone="Europe/Berlin", contactNumber=contact))
    assert (answer.status, answer.body) == (201, ANSWER)
    user = User.objects.get()
    assert (user.email, user.name, user.email_verified_at) == ("ann@example.org", "Ann Lee", None)
    assert user.check_password(PASSWORD)
    company = Company.objects.get()
    assert (company.name, company.email, company.timezone) == ("Acme", "ann@example.org", "Europe/Berlin")
    assert (company.country_code, company.number) == ("+49", "30123456")
    with unscoped(reason="test: the only member there is"):
        member = Member.objects.get()
    assert (member.company_id, member.user_id, member.status, member.email) == (
        company.pk,
        user.pk,
        "owner",
        "ann@example.org",
    )
    [mail] = mails_to("ann@example.org")
    assert (mail.kind, mail.company_id, mail.status) == ("verify_email", None, "queued")
    words = mail.text + mail.html
    assert "Acme" not in words
    assert "Ann" not in words


@pytest.mark.django_db
@pytest.mark.parametrize("field", ["name", "companyName"])
def test_a_name_with_an_address_is_refused(field: str) -> None:
    answer = public.post("/register", registration("ann@example.org", **{field: "Win at http://evil.example/win"}))
    assert answer.status == 400
    assert field in answer.body["message"] + answer.body["warning"]
    assert counts() == (0, 0, 0, 0)


@pytest.mark.django_db
def test_the_address_has_to_be_verified_before_it_opens_anything() -> None:
    token = register()
    refused = public.post("/login", {"email": "ann@example.org", "password": PASSWORD})
    assert (refused.status, refused.body["message"]) == (400, "The log-in details are wrong.")
    assert public.post("/verify-email", {"token": token}).status == 200
    answer = public.post("/login", {"email": "ann@example.org", "password": PASSWORD})
    assert [(row["status"], row["company"]["name"]) for row in answer.data["memberships"]] == [("owner", "Acme")]


@pytest.mark.django_db
def test_a_taken_address_answers_the_same_and_its_owner_is_told() -> None:
    user = UserFactory(email="ann@example.org", name="Ann First")
    before = counts()
    answer = public.post("/register", registration("ANN@example.org", password=OTHER))
    assert (answer.status, answer.body) == (201, ANSWER)
    user.refresh_from_db()
    assert (user.name, user.check_password(PASSWORD), user.session_version) == ("Ann First", True, 1)
    assert counts() == (*before[:3], before[3] + 1)
    [mail] = mails_to("ann@example.org")
    assert mail.kind == "already_registered"
    assert public.post("/reset-password", {"token": token_in(mail), "password": OTHER}).status == 200


@pytest.mark.django_db
def test_who_registers_somebody_elses_address_gains_nothing() -> None:
    theirs = register(password="the intruder's own password")
    assert public.post("/register", registration(password=PASSWORD)).status == 201
    assert kinds_to("ann@example.org") == ["verify_email", "already_registered"]
    stale = public.post("/verify-email", {"token": theirs})
    assert (stale.status, stale.body["message"]) == (400, "The link is no longer valid")
    answer = public.post("/reset-password", {"token": token_in(mails_to("ann@example.org")[1]), "password": OTHER})
    assert answer.status == 200
    assert public.post("/login", {"email": "ann@example.org", "password": OTHER}).status == 200
    assert public.post("/login", {"email": "ann@example.org", "password": "the intruder's own password"}).status == 400


@pytest.mark.django_db
def test_who_registers_twice_gets_the_first_mail_again() -> None:
    first = register()
    second = register()
    assert kinds_to("ann@example.org") == ["verify_email", "verify_email"]
    assert User.objects.count() == 1
    assert public.post("/verify-email", {"token": first}).status == 200
    assert public.post("/verify-email", {"token": second}).status == 400


@pytest.mark.django_db
def test_a_deactivated_account_looks_the_same_and_gets_no_link() -> None:
    UserFactory(email="ann@example.org", is_active=False)
    assert public.post("/register", registration()).body == ANSWER
    assert mails_to("ann@example.org") == []


BAD: list[tuple[dict[str, Any], str, str]] = [
    ({"password": "short"}, "Validation error: password: ", "This password is too short"),
    ({"password": "12345678901"}, "Validation error: password: ", "entirely numeric"),
    ({"password": "ann@example.org"}, "Validation error: password: ", "too similar to the email"),
    ({"password": 12345678}, "Invalid format for field password", "must be text"),
    ({"email": "nobody"}, "Validation error: email", "email address"),
    ({"email": ""}, "Validation error: email", "may not be blank"),
    ({"email": "a@example.org\r\nBcc: b@example.org"}, "Validation error: email", "invisible character"),
    ({"name": " "}, "Validation error: name", "may not be blank"),
    ({"companyName": "x" * 201}, "Validation error: companyName", "200"),
    ({"timezone": "Europe/Atlantis"}, "Choose a time zone from the list.", "timezone"),
    (
        {"contactNumber": {"countryCode": "+49", "number": "1"}},
        "Validation error: contactNumber",
        "is too short",
    ),
    ({"isStaff": True}, "Validation error: isStaff", "unknown key"),
]


@pytest.mark.parametrize(("values", "message", "warning"), BAD, ids=lambda value: str(value)[:40])
@pytest.mark.parametrize("taken", [False, True])
@pytest.mark.django_db
def test_bad_bodies(values: dict[str, Any], message: str, warning: str, taken: bool) -> None:
    if taken:
        UserFactory(email="ann@example.org")
    before = counts()
    answer = public.post("/register", registration(**values) if "email" not in values else {**registration(), **values})
    assert answer.status == 400
    assert answer.body["message"].startswith(message), answer.body
    assert warning in answer.body["warning"]
    assert counts() == before


@pytest.mark.django_db
@pytest.mark.unexpected
def test_a_failing_hook_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        assert Member.objects.count() == 1
        raise RuntimeError("not today")

    monkeypatch.setattr(company_created, "listeners", [*company_created.listeners, fail])
    before = counts()
    assert public.post("/register", registration()).status == 500
    assert counts() == before
    monkeypatch.undo()
    assert public.post("/register", registration()).status == 201


@pytest.mark.django_db
def test_a_referral_code_is_attributed_and_an_unknown_one_is_passed_over() -> None:
    from accounts.models import ReferProgram

    code = make_code("R")
    referrer = UserFactory()
    ReferProgram.objects.create(user=referrer, code=code)
    register("bob@example.org", referralCode=code)
    register("eve@example.org", referralCode="R2222222")
    referral = Referral.objects.get()
    assert (referral.referrer_id, referral.user.email, referral.referred_company.name) == (
        referrer.pk,
        "bob@example.org",
        "Acme",
    )


@pytest.mark.django_db(transaction=True)
def test_twenty_registrations_at_once_make_one_user() -> None:
    def attempt(number: int) -> Any:
        try:
            answer = public.post("/register", registration(companyName=f"Company {number}"))
            return answer.status, answer.body
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(attempt, range(20)))
    assert answers == [(201, ANSWER)] * 20
    assert counts()[:3] == (1, 1, 1)
    assert set(kinds_to("ann@example.org")) == {"verify_email"}


@pytest.mark.django_db
def test_registrations_of_one_address_are_limited(limits: None, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = [
        at("10.0.0.1", "/register", {**registration(f"user{n}@example.org"), "password": "short"}) for n in range(21)
    ]
    assert [answer.status for answer in answers] == [400] * 20 + [429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 3600
    assert answers[-1].body["message"] == "Too many attempts"
    assert at("10.0.0.2", "/register", registration()).status == 201


@pytest.mark.django_db
def test_a_mailbox_is_not_flooded(limits: None) -> None:
    UserFactory(email="ann@example.org")
    answers = [at(f"10.0.0.{n}", "/register", registration()) for n in range(8)]
    assert {str(answer.body) for answer in answers} == {str(ANSWER)}
    assert len(mails_to("ann@example.org")) == 5


@pytest.mark.parametrize("verified_at", [None, "2026-01-01T00:00:00Z"])
@pytest.mark.parametrize("password", [PASSWORD, OTHER])
@pytest.mark.django_db
def test_as_much_hashing_for_a_taken_address(
    monkeypatch: pytest.MonkeyPatch, verified_at: str | None, password: str
) -> None:
    UserFactory(email="ann@example.org", email_verified_at=verified_at)
    done: list[str] = []
    encode = MD5PasswordHasher.encode
    monkeypatch.setattr(
        MD5PasswordHasher, "encode", lambda self, raw, salt: done.append(raw) or encode(self, raw, salt)
    )
    for email in ("ann@example.org", "free@example.org"):
        public.post("/register", registration(email, password=password))
        assert done == [password]
        done.clear()


@pytest.mark.django_db
def test_the_answer_takes_its_time(settings: Any) -> None:
    settings.EVEN_ANSWERS = True
    UserFactory(email="ann@example.org")
    for email in ("ann@example.org", "free@example.org"):
        started = time.monotonic()
        public.post("/register", registration(email))
        assert time.monotonic() - started >= 0.5
