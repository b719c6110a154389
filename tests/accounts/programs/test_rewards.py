"""What payments of referred companies bring, and what it sums up to."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Member, Reward, RewardTransition
from accounts.programs.rewards import accrue, balances, claw_back, claw_back_reward, pay_reward, payouts, settle_reward
from accounts.programs.services import revoke_partnership, set_refer_program
from core.tenancy import company_scope, unscoped
from tests.accounts.programs.helpers import bring, earn, make_partner, make_referrer, moves_of, pay, rewarded, state_of
from tests.kit.factories import CompanyFactory, MemberFactory, UserFactory

pytestmark = pytest.mark.django_db


def test_a_partner_gets_a_share_of_each_payment() -> None:
    partner = make_partner("12.5")
    referral = bring(partner.code)
    before = timezone.now()
    first, second = pay(referral, "49.99", "EUR", "payment:1"), pay(referral, "100", "usd", "payment:2")
    assert [(reward.amount, reward.currency, reward.state) for reward in (first, second)] == [
        (Decimal("6.25"), "EUR", "pending"),
        (Decimal("12.50"), "USD", "pending"),
    ]
    assert (first.beneficiary, first.referral, first.program, first.source) == (
        partner.user,
        referral,
        "partner",
        "payment:1",
    )
    assert before + settings.REWARD_HOLD <= first.matures_at <= timezone.now() + settings.REWARD_HOLD
    assert moves_of(first) == [("", "pending")]


def test_the_referral_program_rewards_the_first_payment_alone() -> None:
    referral = bring(make_referrer().code)
    assert pay(referral, "50", "EUR", "payment:1").amount == Decimal("10")
    assert pay(referral, "500", "EUR", "payment:2") is None
    assert Reward.objects.count() == RewardTransition.objects.count() == 1


def test_a_first_payment_that_was_returned_was_none() -> None:
    referral = bring(make_referrer().code)
    pay(referral, "50", "EUR", "payment:1")
    claw_back(source="payment:1", note="Returned")
    assert pay(referral, "50", "EUR", "payment:1").state == "clawed_back"
    assert pay(referral, "80", "EUR", "payment:2").amount == Decimal("16")
    assert sorted(Reward.objects.values_list("state", flat=True)) == ["clawed_back", "pending"]


def test_who_left_the_referral_program_is_rewarded_for_whom_they_brought() -> None:
    program = make_referrer()
    referral = bring(program.code)
    set_refer_program(user_id=program.user_id, status="inactive")
    assert pay(referral).amount == Decimal("20")


def test_the_same_source_makes_one_reward() -> None:
    referral = bring(make_partner().code)
    first = pay(referral, "100", "USD", "payment:1")
    assert pay(referral, "100", "USD", "payment:1") == first
    assert pay(referral, "999", "EUR", "payment:1").amount == Decimal("20")
    assert moves_of(first) == [("", "pending")]
    assert Reward.objects.count() == 1


@pytest.mark.parametrize(
    ("percent", "amount", "currency", "share"),
    [
        ("20", "0.02", "USD", None),
        ("20", "0.03", "USD", "0.01"),
        ("12.5", "1.00", "USD", "0.13"),
        ("10", "104", "JPY", "10"),
        ("10", "105", "JPY", "11"),
        ("10", "4", "JPY", None),
        ("10", "1.2345", "KWD", "0.123"),
        ("0", "100", "USD", None),
        ("100", "9999999999.99", "USD", "9999999999.99"),
        ("20", "0", "USD", None),
        ("20", "-5", "USD", None),
    ],
)
def test_amounts_are_in_the_currencys_unit(percent: str, amount: str, currency: str, share: str | None) -> None:
    reward = pay(bring(make_partner(percent).code), amount, currency)
    assert (None if reward is None else Reward.objects.get().amount) == (None if share is None else Decimal(share))
    assert Reward.objects.count() == (share is not None)


def test_payments_of_others_bring_nothing() -> None:
    bring(make_partner().code)
    assert accrue(company_id=CompanyFactory().pk, amount=Decimal(100), currency="USD", source="payment:1") is None
    assert Reward.objects.count() == 0


def test_nobody_is_rewarded_for_what_they_pay_themselves() -> None:
    partner = make_partner()
    referral = bring(partner.code)
    with company_scope(referral.referred_company_id):
        member = MemberFactory(user=partner.user, status=Member.Status.OWNER)
    assert pay(referral) is None
    with unscoped(reason="test"):
        member.delete()
    assert pay(referral).amount == Decimal("20")


def test_a_revoked_partner_and_a_closed_account_get_nothing_new() -> None:
    revoked, closed = make_partner(), make_partner()
    referrals = [bring(revoked.code), bring(closed.code)]
    kept = pay(referrals[0], source="payment:1")
    revoke_partnership(program_id=revoked.pk, by=UserFactory())
    closed.user.is_active = False
    closed.user.save()
    assert [pay(referral, source="payment:2") for referral in referrals] == [None, None]
    assert state_of(kept) == "pending"
    earn(kept)
    assert state_of(kept) == "earned"


def test_a_payment_that_fails_leaves_no_reward() -> None:
    referral = bring(make_partner().code)

    def fail() -> None:
        with transaction.atomic(), company_scope(referral.referred_company_id):
            assert pay(referral) is not None
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert (Reward.objects.count(), RewardTransition.objects.count()) == (0, 0)


def test_an_accrual_takes_few_queries() -> None:
    stranger, referral = CompanyFactory(), bring(make_partner().code)
    with CaptureQueriesContext(connection) as nothing:
        accrue(company_id=stranger.pk, amount=Decimal(1), currency="USD", source="payment:0")
    with CaptureQueriesContext(connection) as something:
        pay(referral)
    tables = [[query for query in captured if "accounts_" in query["sql"]] for captured in (nothing, something)]
    assert [len(queries) for queries in tables] == [1, 6]


def test_balances_are_one_query_of_ones_own() -> None:
    partner, staff = make_partner("10"), UserFactory()
    mine = [pay(bring(partner.code), "100", "USD", f"payment:{n}") for n in range(4)]
    pay(bring(make_referrer(partner.user).code), "100", "EUR", "payment:9")
    rewarded()
    earn(*mine[1:])
    for reward in mine[2:]:
        pay_reward(reward_id=reward.pk, by=staff)
    claw_back(source="payment:3", note="Returned")
    with CaptureQueriesContext(connection) as captured:
        found = balances(user_id=partner.user_id, program="partner")
    assert len([query for query in captured if "accounts_reward" in query["sql"]]) == 1
    ten, nothing = Decimal(10), Decimal(0)
    dollars = {
        "currency": "USD",
        "pending": ten,
        "earned": ten,
        "paid": ten,
        "clawed_back": ten,
        "owed": ten,
        "payable": nothing,
    }
    assert found == [dollars]
    assert [row["currency"] for row in balances(user_id=partner.user_id)] == ["EUR", "USD"]
    settle_reward(reward_id=mine[3].pk, by=staff)
    assert balances(user_id=partner.user_id, program="partner") == [{**dollars, "owed": nothing, "payable": ten}]


def test_payouts_say_who_is_to_be_paid_and_who_owes() -> None:
    staff = UserFactory()
    large, small, owing = rewarded(amount="500"), rewarded(amount="50"), rewarded(amount="5")
    earn(large, small, owing)
    pay_reward(reward_id=owing.pk, by=staff)
    claw_back_reward(reward_id=owing.pk, by=staff, note="Returned")
    rewarded()
    assert [
        (row["beneficiary_id"], row["currency"], row["earned"], row["owed"], row["payable"]) for row in payouts(10)
    ] == [
        (large.beneficiary_id, "USD", 100, 0, 100),
        (small.beneficiary_id, "USD", 10, 0, 10),
        (owing.beneficiary_id, "USD", 0, 1, -1),
    ]
    assert len(payouts(2)) == 2
