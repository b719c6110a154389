"""Rewards of payments that were returned and came back: given back once, whatever became of them meanwhile."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from accounts.models import Mail, Reward
from accounts.programs.rewards import (
    balances,
    claw_back,
    claw_back_part,
    claw_back_unpaid,
    pay_reward,
    return_rewards,
    settle_reward,
)
from core.tenancy import unscoped
from tests.accounts.programs.helpers import bring, earn, make_partner, make_referrer, moves_of, pay
from tests.kit.factories import UserFactory

pytestmark = pytest.mark.django_db
SOURCE = "invoice:1"


def living() -> list[tuple[str, str, Decimal]]:
    rows = Reward.objects.exclude(state="clawed_back").order_by("pk")
    return list(rows.values_list("source", "state", "amount"))


@pytest.mark.parametrize("state", ["pending", "earned", "paid", "repaid"])
def test_a_whole_one_lives_again_as_it_was(state: str) -> None:
    staff = UserFactory()
    reward = pay(bring(make_referrer().code), "50", "EUR", SOURCE)
    if state != "pending":
        earn(reward)
    if state in ("paid", "repaid"):
        pay_reward(reward_id=reward.pk, by=staff)
    claw_back(source=SOURCE, note="disputed: 1")
    if state == "repaid":
        settle_reward(reward_id=reward.pk, by=staff)
    assert return_rewards(source=SOURCE, note="disputed: 2") == 0
    assert return_rewards(source=SOURCE, note="disputed: 1") == Decimal(10)
    assert return_rewards(source=SOURCE, note="disputed: 1") == 0
    expected = "earned" if state == "repaid" else state
    assert living() == [(SOURCE, expected, Decimal(10))]
    assert moves_of(Reward.objects.get(source=SOURCE))[-1][1] == expected
    assert balances(user_id=reward.beneficiary_id)[0]["owed"] == 0
    claw_back(source=SOURCE, note="disputed: 3")
    assert living() == []
    assert return_rewards(source=SOURCE, note="disputed: 3") == Decimal(10)


def test_parts_come_back_in_any_order_and_add_up() -> None:
    pay(bring(make_referrer().code), "50", "EUR", SOURCE)
    claw_back_part(source=SOURCE, share=Fraction(3, 10), key="1", note="disputed: 1")
    claw_back_part(source=SOURCE, share=Fraction(7, 10), key="2", note="disputed: 2")
    assert living() == []
    return_rewards(source=SOURCE, note="disputed: 1")
    assert living() == [(SOURCE, "pending", Decimal(3))]
    return_rewards(source=SOURCE, note="disputed: 2")
    assert living() == [(SOURCE, "pending", Decimal(10))]
    claw_back_part(source=SOURCE, share=Fraction(1, 2), key="3", note="refunded")
    assert living() == [(SOURCE, "pending", Decimal(5))]


def test_a_part_whose_rest_was_paid_out_is_for_staff() -> None:
    staff = UserFactory(is_staff=True, is_superuser=True)
    reward = pay(bring(make_partner().code), "50", "EUR", SOURCE)
    claw_back_part(source=SOURCE, share=Fraction(1, 2), key="1", note="disputed: 1")
    whole = Reward.objects.get(source=SOURCE).amount
    earn(Reward.objects.get(pk=reward.pk))
    pay_reward(reward_id=reward.pk, by=staff)
    return_rewards(source=SOURCE, note="disputed: 1")
    assert living() == [(SOURCE, "paid", whole)]
    with unscoped(reason="test: mails of no company"):
        assert Mail.objects.get(kind="staff_alert").to == staff.email


def test_who_was_revoked_or_rewarded_meanwhile_gets_nothing_more() -> None:
    partner, referral = make_partner(), bring(make_referrer().code)
    pay(bring(partner.code), "50", "EUR", SOURCE)
    pay(referral, "50", "EUR", "invoice:2")
    for number in (1, 2):
        claw_back(source=f"invoice:{number}", note="disputed: 1")
    partner.status = "revoked"
    partner.save()
    claw_back_unpaid(user_id=partner.user_id, program="partner", by=UserFactory(), note="Fraud")
    pay(referral, "80", "EUR", "invoice:3")
    for number in (1, 2):
        assert return_rewards(source=f"invoice:{number}", note="disputed: 1") == 0
    assert [source for source, _, _ in living()] == ["invoice:3"]
