"""GET and PUT /refer-program, GET /refer-program/referrals (contract 4.11)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.conf import settings
from django.utils import timezone

from accounts.models import ReferProgram, Reward
from accounts.programs.services import set_refer_program
from tests.accounts.programs.helpers import bring, make_referrer, pay, private
from tests.kit.cast import Caller, Cast
from tests.kit.factories import UserFactory
from tests.kit.threads import at_once


def test_who_never_joined_sees_themselves(cast: Cast) -> None:
    user = cast.owner.user
    answer = private(user).get("/refer-program")
    assert answer.status == 200
    assert sorted(answer.data) == ["_id", "createdAt", "email", "name", "referProgram", "updatedAt"]
    assert (answer.data["_id"], answer.data["name"], answer.data["email"]) == (user.pk, user.name, user.email)
    assert answer.data["referProgram"] == {
        "_id": None,
        "status": "inactive",
        "code": None,
        "link": None,
        "rewardPercent": 20,
        "counts": {"referrals": 0, "rewarded": 0},
        "balances": [],
        "createdAt": None,
        "updatedAt": None,
    }


def test_joining_makes_a_code_that_stays(cast: Cast) -> None:
    caller = private(cast.owner.user)
    joined = caller.put("/refer-program", {"status": "active"})
    assert (joined.status, joined.data["status"]) == (200, "active")
    code = joined.data["code"]
    assert re.fullmatch(r"R[2-9B-Z]{7}", code)
    assert joined.data["link"] == f"{settings.REGISTER_URL}?referralCode={code}"
    assert caller.get("/refer-program").data["referProgram"] == joined.data
    left = caller.put("/refer-program", {"status": "inactive"}).data
    assert (left["status"], left["code"], left["link"]) == ("inactive", code, None)
    assert caller.put("/refer-program", {"status": "active"}).data["code"] == code
    assert ReferProgram.objects.count() == 1


def test_leaving_without_having_joined_makes_nothing(cast: Cast) -> None:
    answer = private(cast.owner.user).put("/refer-program", {"status": "inactive"})
    assert (answer.status, answer.data["_id"], answer.data["status"]) == (200, None, "inactive")
    assert ReferProgram.objects.count() == 0


@pytest.mark.parametrize("status", ["", "ACTIVE", "on", "paused"])
def test_another_status_is_refused(status: str, cast: Cast) -> None:
    answer = private(cast.owner.user).put("/refer-program", {"status": status})
    assert (answer.status, answer.body["message"]) == (400, "The referral program's status does not allow this.")
    assert "active, inactive" in answer.body["warning"]
    assert ReferProgram.objects.count() == 0


@pytest.mark.parametrize(
    ("body", "field"),
    [({}, "status"), ({"status": 1}, "status"), ({"status": None}, "status"), ({"code": "R"}, "code")],
)
def test_bad_bodies_name_the_field(body: dict[str, Any], field: str, cast: Cast) -> None:
    answer = private(cast.owner.user).put("/refer-program", body)
    assert answer.status == 400
    assert field in answer.body["warning"]


def test_the_endpoints_are_for_sessions_alone(cast: Cast) -> None:
    for method, path in (("GET", "/refer-program"), ("PUT", "/refer-program"), ("GET", "/refer-program/referrals")):
        assert Caller("/api/private", {}).call(method, path).status == 401
        assert Caller("/api/private", {"apikey": cast.api_key.key}).call(method, path).status == 401


def test_referrals_are_users(db: None) -> None:
    program = make_referrer()
    ann = bring(program.code, name="Ann Eriksen", email="ann.eriksen@example.org")
    bob = bring(program.code, name="Bob", email="bob@example.org")
    pay(ann, "49.99", "EUR")
    answer = private(program.user).get("/refer-program/referrals", p="1", n="10")
    assert (answer.status, answer.body["totalCount"], answer.body["nextCursor"]) == (200, 2, None)
    second, first = answer.data
    assert sorted(first) == ["_id", "createdAt", "earnings", "email", "name", "rewardState"]
    assert (first["_id"], first["name"], first["email"]) == (ann.user_id, "Ann Eriksen", "a***@example.org")
    assert (first["rewardState"], first["earnings"]) == ("pending", [{"currency": "EUR", "amount": 10}])
    assert (second["_id"], second["rewardState"], second["earnings"]) == (bob.user_id, "none", [])
    Reward.objects.update(state="clawed_back")
    assert [
        (row["rewardState"], row["earnings"]) for row in private(program.user).get("/refer-program/referrals").data
    ] == [
        ("none", []),
        ("clawed_back", []),
    ]


def test_the_masked_address_cannot_be_found_out(db: None) -> None:
    program = make_referrer()
    bring(program.code, email="ann@example.org")
    caller = private(program.user)
    tree = {"field": "email", "operator": "startsWith", "value": "an"}
    for query in (
        {"searchBy": "email", "searchValue": "ann"},
        {"sortBy": "email"},
        {"filters": {"email": "ann@example.org"}},
        {"advancedFilters": {"operator": "and", "conditions": [tree]}},
    ):
        assert caller.get("/refer-program/referrals", **query).status == 400, query
    assert caller.get("/refer-program/referrals", searchValue="ann@").data == []


def test_who_has_not_verified_their_address_does_not_show_yet(db: None) -> None:
    """Somebody who registers an address by their own code learns nothing of whether it had an account."""
    program = make_referrer()
    referral = bring(program.code, email_verified_at=None)
    caller = private(program.user)
    assert (
        caller.get("/refer-program/referrals").data,
        caller.get("/refer-program").data["referProgram"]["counts"]["referrals"],
    ) == (
        [],
        0,
    )
    referral.user.email_verified_at = timezone.now()
    referral.user.save()
    assert [row["_id"] for row in caller.get("/refer-program/referrals").data] == [referral.user_id]
    assert caller.get("/refer-program").data["referProgram"]["counts"]["referrals"] == 1


def test_another_users_people_never_show(db: None) -> None:
    mine, theirs = make_referrer(), make_referrer()
    stranger = bring(theirs.code, name="Stranger")
    pay(stranger)
    caller = private(mine.user)
    for query in ({}, {"ids": stranger.user_id}, {"p": "1", "n": "10"}, {"searchValue": "Stranger"}):
        answer = caller.get("/refer-program/referrals", **query)
        assert (answer.status, answer.data, answer.body["totalCount"]) == (200, [], 0), query
    data = caller.get("/refer-program").data
    assert (data["referProgram"]["counts"]["referrals"], data["referProgram"]["balances"]) == (0, [])
    for hidden in (theirs.pk, theirs.code, theirs.user_id, stranger.user_id):
        assert hidden not in str(data)


@pytest.mark.django_db(transaction=True)
def test_twenty_activations_at_once_make_one_code() -> None:
    user = UserFactory()

    codes = at_once(20, None, lambda n: set_refer_program(user_id=user.pk, status="active").code)
    assert set(codes) == {ReferProgram.objects.get().code}
