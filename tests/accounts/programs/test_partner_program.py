"""GET /partner-program, POST /partner-program/request, GET /partner-program/referrals (contract 4.11), and the
decisions on them.
"""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Mail, PartnerProgram, Reward
from accounts.programs.rewards import claw_back_reward, pay_reward
from accounts.programs.services import approve_partnership, reject_partnership, request_partnership, revoke_partnership
from core.errors import ValidationFailed
from core.tenancy import unscoped
from tests.accounts.programs.helpers import bring, make_partner, make_referrer, pay, private
from tests.kit.cast import Caller, Cast
from tests.kit.factories import CompanyFactory, UserFactory
from tests.kit.threads import at_once

NOBODY = {
    "_id": None,
    "status": "none",
    "code": None,
    "link": None,
    "commissionPercent": 20,
    "requestNote": "",
    "decisionNote": "",
    "requestedAt": None,
    "decidedAt": None,
    "counts": {"referrals": 0, "rewarded": 0},
    "balances": [],
    "createdAt": None,
    "updatedAt": None,
}


def mails() -> list[tuple[str, str, str]]:
    with unscoped(reason="test"):
        return [(mail.kind, mail.to, mail.text) for mail in Mail.objects.order_by("id")]


def test_who_never_asked_sees_an_object_too(cast: Cast) -> None:
    answer = private(cast.owner.user).get("/partner-program")
    assert (answer.status, answer.data) == (200, NOBODY)


def test_the_endpoints_are_for_sessions_alone(cast: Cast) -> None:
    for method, path in (
        ("GET", "/partner-program"),
        ("GET", "/partner-program/referrals"),
        ("POST", "/partner-program/request"),
    ):
        assert Caller("/api/private", {}).call(method, path).status == 401
        assert Caller("/api/private", {"apikey": cast.api_key.key}).call(method, path).status == 401
    assert PartnerProgram.objects.count() == 0


def test_a_request_waits(cast: Cast) -> None:
    user = cast.owner.user
    answer = private(user).post("/partner-program/request", {"requestNote": "We train sales teams."})
    assert answer.status == 200
    assert {name: answer.data[name] for name in ("status", "requestNote", "code", "link", "decidedAt")} == {
        "status": "requested",
        "requestNote": "We train sales teams.",
        "code": None,
        "link": None,
        "decidedAt": None,
    }
    stored = PartnerProgram.objects.get()
    assert (stored.user, answer.data["_id"]) == (user, stored.pk)
    assert private(user).get("/partner-program").data == answer.data


def test_the_note_may_be_left_out(cast: Cast) -> None:
    assert private(cast.owner.user).post("/partner-program/request").data["requestNote"] == ""


@pytest.mark.parametrize(
    ("status", "message"),
    [
        ("requested", "You have already applied to the partner program."),
        ("approved", "Your company is already in the partner program."),
        ("revoked", "Your company was removed from the partner program."),
    ],
)
def test_who_cannot_ask_is_told_why(status: str, message: str, db: None) -> None:
    program = make_partner(status=status, request_note="Before")
    answer = private(program.user).post("/partner-program/request", {"requestNote": "After"})
    assert (answer.status, answer.body["message"]) == (400, message)
    program.refresh_from_db()
    assert (program.status, program.request_note) == (status, "Before")


def test_who_was_rejected_may_ask_again(db: None) -> None:
    program = make_partner(status="requested", code=None)
    reject_partnership(program_id=program.pk, by=UserFactory(), note="Too early.")
    assert private(program.user).get("/partner-program").data["decisionNote"] == "Too early."
    data = private(program.user).post("/partner-program/request", {"requestNote": "Now we have customers."}).data
    assert (data["_id"], data["status"], data["requestNote"], data["decisionNote"], data["decidedAt"]) == (
        program.pk,
        "requested",
        "Now we have customers.",
        "",
        None,
    )


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"requestNote": 5}, "requestNote"),
        ({"requestNote": "x" * 2001}, "requestNote"),
        ({"status": "approved"}, "status"),
    ],
)
def test_bad_bodies_name_the_field(body: dict[str, object], field: str, cast: Cast) -> None:
    answer = private(cast.owner.user).post("/partner-program/request", body)
    assert answer.status == 400
    assert field in answer.body["warning"]
    assert PartnerProgram.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_twenty_requests_at_once_make_one() -> None:
    user = UserFactory()

    results = at_once(20, None, lambda n: request_partnership(user_id=user.pk, request_note=f"{n}").status)
    assert Counter(results) == {"requested": 1, "PartnerProgramAlreadyRequested_400": 19}
    assert PartnerProgram.objects.count() == 1


def test_approval_makes_the_code_and_is_mailed(db: None) -> None:
    staff, program = UserFactory(), make_partner(status="requested", code=None, user=UserFactory(name="Ann"))
    approve_partnership(program_id=program.pk, by=staff, note="Welcome & enjoy.", commission_percent=Decimal("12.50"))
    data = private(program.user).get("/partner-program").data
    assert re.fullmatch(r"P[2-9B-Z]{7}", data["code"])
    assert (data["status"], data["commissionPercent"], data["decisionNote"]) == ("approved", 12.5, "Welcome & enjoy.")
    assert data["link"] == f"{settings.REGISTER_URL}?referralCode={data['code']}"
    program.refresh_from_db()
    assert (program.decided_by, program.decided_at is None) == (staff, False)
    [(kind, to, text)] = mails()
    assert (kind, to) == ("partner_approved", program.user.email)
    for part in ("Hello Ann,", "12.5%", data["code"], data["link"], "Welcome & enjoy."):
        assert part in text, part


def test_rejection_and_revocation_are_mailed(db: None) -> None:
    asked, partner = make_partner(status="requested", code=None), make_partner()
    reject_partnership(program_id=asked.pk, by=UserFactory(), note="Too early.")
    revoke_partnership(program_id=partner.pk, by=UserFactory(), note="Spam.")
    assert [(kind, to) for kind, to, _ in mails()] == [
        ("partner_rejected", asked.user.email),
        ("partner_revoked", partner.user.email),
    ]
    assert ["Too early." in mails()[0][2], "Spam." in mails()[1][2]] == [True, True]
    data = private(partner.user).get("/partner-program").data
    assert (data["status"], data["code"], data["link"], data["decisionNote"]) == (
        "revoked",
        partner.code,
        None,
        "Spam.",
    )


@pytest.mark.parametrize(
    ("status", "allowed"),
    [
        ("requested", {"approve", "reject"}),
        ("approved", {"revoke"}),
        ("rejected", {"approve"}),
        ("revoked", {"approve"}),
    ],
)
def test_decisions_that_cannot_be_made_change_nothing(status: str, allowed: set[str], db: None) -> None:
    decisions = {"approve": approve_partnership, "reject": reject_partnership, "revoke": revoke_partnership}
    for name, decide in decisions.items():
        program = make_partner(status=status)
        if name in allowed:
            assert decide(program_id=program.pk, by=UserFactory()).status == {
                "approve": "approved",
                "reject": "rejected",
            }.get(name, "revoked")
            continue
        with pytest.raises(ValidationFailed, match=f"is {status}"):
            decide(program_id=program.pk, by=UserFactory())
        program.refresh_from_db()
        assert (program.status, program.decided_at) == (status, None)


def test_a_partner_who_is_approved_again_keeps_the_code(db: None) -> None:
    program = make_partner()
    revoke_partnership(program_id=program.pk, by=UserFactory())
    assert approve_partnership(program_id=program.pk, by=UserFactory()).code == program.code


def test_revocation_keeps_rewards_unless_told_otherwise(db: None) -> None:
    for claw_back, states in ((False, ["earned", "paid", "pending"]), (True, ["clawed_back", "clawed_back", "paid"])):
        program = make_partner()
        rewards = [pay(bring(program.code), source=f"payment:{claw_back}:{n}") for n in range(3)]
        Reward.objects.filter(pk=rewards[0].pk).update(state="earned")
        Reward.objects.filter(pk=rewards[1].pk).update(state="earned")
        pay_reward(reward_id=rewards[1].pk, by=UserFactory())
        revoke_partnership(program_id=program.pk, by=UserFactory(), claw_back=claw_back)
        assert sorted(Reward.objects.filter(beneficiary=program.user).values_list("state", flat=True)) == states


def test_counts_and_balances_per_currency(db: None) -> None:
    program, staff = make_partner("10"), UserFactory()
    ann, bob, _ = (bring(program.code) for _ in range(3))
    pay(ann, "100", "EUR", "payment:1")
    paid, gone = pay(ann, "50", "USD", "payment:2"), pay(bob, "70.55", "USD", "payment:3")
    Reward.objects.exclude(source="payment:1").update(state="earned")
    pay(ann, "30", "USD", "payment:4")
    Reward.objects.filter(source="payment:4").update(state="earned")
    for reward in (paid, gone):
        pay_reward(reward_id=reward.pk, by=staff)
    claw_back_reward(reward_id=gone.pk, by=staff, note="Returned")
    other = make_partner()
    pay(bring(other.code), "1000", "USD", "payment:5")
    data = private(program.user).get("/partner-program").data
    assert data["counts"] == {"referrals": 3, "rewarded": 1}
    euros = {"currency": "EUR", "pending": 10, "earned": 0, "paid": 0, "clawedBack": 0, "owed": 0, "payable": 0}
    dollars = {
        "currency": "USD",
        "pending": 0,
        "earned": 3,
        "paid": 5,
        "clawedBack": 7.06,
        "owed": 7.06,
        "payable": -4.06,
    }
    assert data["balances"] == [euros, dollars]


def test_programs_do_not_mix(db: None) -> None:
    program = make_partner("10")
    code = make_referrer(program.user).code
    pay(bring(program.code), "100", source="payment:1")
    pay(bring(code), "100", source="payment:2")
    partner, refer = (
        private(program.user).get("/partner-program").data,
        private(program.user).get("/refer-program").data["referProgram"],
    )
    assert [row["pending"] for row in partner["balances"]] == [10]
    assert [row["pending"] for row in refer["balances"]] == [20]
    assert (partner["counts"]["referrals"], refer["counts"]["referrals"]) == (1, 1)
    assert len(private(program.user).get("/partner-program/referrals").data["referrals"]) == 1
    assert len(private(program.user).get("/refer-program/referrals").data) == 1


def test_referrals_stand_in_the_partnership(db: None) -> None:
    program = make_partner("10")
    ann = bring(program.code, name="Ann Eriksen", email="ann@example.org")
    bob = bring(program.code, name="Bob", email="bo@example.org")
    pay(ann, "100", "EUR", "payment:1")
    pay(ann, "200", "USD", "payment:2")
    pay(ann, "250", "USD", "payment:3")
    answer = private(program.user).get("/partner-program/referrals")
    assert (answer.status, answer.body["totalCount"], answer.body["nextCursor"]) == (200, 2, None)
    mine = private(program.user).get("/partner-program").data
    assert {name: value for name, value in answer.data.items() if name != "referrals"} == mine
    second, first = answer.data["referrals"]
    assert sorted(first) == ["_id", "createdAt", "earnings", "email", "name", "rewardState"]
    assert (first["_id"], first["name"], first["email"], first["rewardState"]) == (
        ann.user_id,
        "Ann Eriksen",
        "a***@example.org",
        "pending",
    )
    assert first["earnings"] == [{"currency": "EUR", "amount": 10}, {"currency": "USD", "amount": 45}]
    assert (second["_id"], second["email"], second["rewardState"], second["earnings"]) == (
        bob.user_id,
        "***@example.org",
        "none",
        [],
    )
    text = str(answer.body)
    for hidden in ("ann@example.org", ann.referred_company_id, ann.referred_company.name):
        assert hidden not in text


def test_pages_of_referrals(db: None) -> None:
    program = make_partner()
    names = [bring(program.code, name=f"Person {n}").user.name for n in range(5)]
    caller = private(program.user)
    first = caller.get("/partner-program/referrals", n="2", cursorPagination="true", sortBy="name", sortOrder="asc")
    assert (first.body["totalCount"], [row["name"] for row in first.data["referrals"]]) == (5, names[:2])
    second = caller.get("/partner-program/referrals", n="2", cursor=first.body["nextCursor"])
    assert (second.data["_id"], [row["name"] for row in second.data["referrals"]]) == (program.pk, names[2:4])
    third = caller.get("/partner-program/referrals", p="3", n="2", sortBy="name", sortOrder="asc")
    assert ([row["name"] for row in third.data["referrals"]], third.body["nextCursor"]) == (names[4:], None)
    found = caller.get("/partner-program/referrals", searchValue="person 3")
    assert [row["name"] for row in found.data["referrals"]] == ["Person 3"]
    for query in (
        {"searchBy": "email", "searchValue": "a"},
        {"sortBy": "email"},
        {"filters": {"email": "x@example.com"}},
        {"colour": "red"},
    ):
        assert caller.get("/partner-program/referrals", **query).status == 400, query


def test_referrals_can_be_found_by_their_rewards(db: None) -> None:
    program = make_partner()
    ann, bob = bring(program.code), bring(program.code)
    pay(ann)
    caller = private(program.user)
    for state, user in (("pending", ann.user_id), ("none", bob.user_id)):
        rows = caller.get("/partner-program/referrals", filters={"rewardState": state}).data["referrals"]
        assert [row["_id"] for row in rows] == [user]


def test_another_users_people_never_show(db: None) -> None:
    mine, theirs = make_partner(), make_partner()
    stranger = bring(theirs.code, name="Stranger")
    pay(stranger)
    caller = private(mine.user)
    assert caller.get("/partner-program").data["counts"] == {"referrals": 0, "rewarded": 0}
    for query in (
        {},
        {"ids": stranger.user_id},
        {"p": "1", "n": "10"},
        {"searchValue": "Stranger"},
        {"filters": {"rewardState": "pending"}},
    ):
        answer = caller.get("/partner-program/referrals", **query)
        assert (answer.status, answer.data["referrals"], answer.body["totalCount"]) == (200, [], 0), query
        for hidden in (theirs.pk, theirs.code, stranger.pk, stranger.user_id):
            assert hidden not in str(answer.body)


def test_a_list_takes_as_many_queries_for_many(db: None) -> None:
    program = make_partner()
    caller, counts = private(program.user), []
    for _ in range(2):
        for n in range(4):
            pay(bring(program.code), source=f"payment:{n}")
        caller.get("/partner-program/referrals", p="1", n="50")
        with CaptureQueriesContext(connection) as captured:
            assert caller.get("/partner-program/referrals", p="1", n="50").status == 200
        counts.append(
            len([query for query in captured if query["sql"].startswith("SELECT") and "set_config" not in query["sql"]])
        )
    assert counts[0] == counts[1] <= 6


def test_a_company_that_goes_leaves_the_referral(db: None) -> None:
    program = make_partner()
    referral = bring(program.code)
    with unscoped(reason="test"):
        referral.referred_company.delete()
    referral.refresh_from_db()
    assert (referral.referred_company_id, CompanyFactory().pk is None) == (None, False)
    assert private(program.user).get("/partner-program").data["counts"]["referrals"] == 1
