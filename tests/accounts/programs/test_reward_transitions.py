"""The moves of rewards: legal and illegal ones, the periodic task, many at once, and that the ledger adds up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from accounts.models import Mail, PartnerProgram, Referral, Reward, RewardTransition
from accounts.programs.models import REWARD_MOVES
from accounts.programs.rewards import (
    balances,
    claw_back,
    claw_back_reward,
    claw_back_unpaid,
    earn_matured,
    pay_reward,
    settle_reward,
)
from accounts.programs.services import revoke_partnership
from core.errors import ValidationFailed
from core.jobs import run_due_tasks
from core.models import TaskSchedule
from core.tenancy import unscoped
from tests.accounts.programs.helpers import bring, earn, make_partner, make_referrer, moves_of, pay, rewarded, state_of
from tests.kit.examples import thorough
from tests.kit.factories import UserFactory
from tests.kit.periodic import only
from tests.kit.threads import at_once

pytestmark = pytest.mark.django_db

LATER = settings.REWARD_HOLD + timedelta(seconds=1)


def test_a_life() -> None:
    staff, reward = UserFactory(), rewarded()
    earn(reward)
    pay_reward(reward_id=reward.pk, by=staff, note="Bank transfer 17")
    claw_back_reward(reward_id=reward.pk, by=staff, note="Charged back")
    settle_reward(reward_id=reward.pk, by=staff)
    assert moves_of(reward) == [
        ("", "pending"),
        ("pending", "earned"),
        ("earned", "paid"),
        ("paid", "clawed_back"),
        ("clawed_back", "clawed_back"),
    ]
    steps = list(RewardTransition.objects.order_by("created_at", "id").values_list("by", "note"))
    assert steps == [
        (None, "payment:1"),
        (None, ""),
        (staff.pk, "Bank transfer 17"),
        (staff.pk, "Charged back"),
        (staff.pk, "Settled"),
    ]
    reward.refresh_from_db()
    assert None not in (reward.paid_at, reward.settled_at)


def in_state(state: str) -> Reward:
    """A reward that came to the state by legal moves."""
    reward, staff = rewarded(), UserFactory()
    if state in ("earned", "paid", "owed", "settled"):
        earn(reward)
    if state in ("paid", "owed", "settled"):
        pay_reward(reward_id=reward.pk, by=staff)
    if state in ("clawed_back", "owed", "settled"):
        claw_back_reward(reward_id=reward.pk, by=staff, note="Returned")
    if state == "settled":
        settle_reward(reward_id=reward.pk, by=staff)
    return reward


STATES = ("pending", "earned", "paid", "clawed_back", "owed", "settled")
"""The states, clawed_back in three: never paid, paid and owed, paid and settled."""
COMMANDS: dict[str, tuple[Callable[..., Any], set[str], str]] = {
    "pay": (lambda reward: pay_reward(reward_id=reward.pk, by=UserFactory()), {"earned"}, "paid"),
    "claw back": (
        lambda reward: claw_back_reward(reward_id=reward.pk, by=UserFactory(), note="x"),
        {"pending", "earned", "paid"},
        "clawed_back",
    ),
    "settle": (lambda reward: settle_reward(reward_id=reward.pk, by=UserFactory()), {"owed"}, "clawed_back"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("state", STATES)
def test_every_command_in_every_state(state: str, command: str) -> None:
    run, allowed, result = COMMANDS[command]
    reward = in_state(state)
    before, moves = Reward.objects.values().get(), moves_of(reward)
    if state in allowed:
        run(reward)
        assert state_of(reward) == result
        assert moves_of(reward) == [*moves, (before["state"], result)]
    else:
        with pytest.raises(ValidationFailed):
            run(reward)
        assert Reward.objects.values().get() == before
        assert moves_of(reward) == moves


@pytest.mark.parametrize("state", STATES)
def test_the_periodic_task_earns_pending_ones_alone(state: str) -> None:
    reward = in_state(state)
    moves = moves_of(reward)
    earn(reward)
    expected = [*moves, ("pending", "earned")] if state == "pending" else moves
    assert moves_of(reward) == expected


@pytest.mark.parametrize("before", ["", *Reward.State.values])
@pytest.mark.parametrize("after", Reward.State.values)
def test_the_database_refuses_illegal_moves(before: str, after: str) -> None:
    reward = rewarded()
    RewardTransition.objects.all().delete()
    if (before, after) in REWARD_MOVES:
        RewardTransition.objects.create(reward=reward, from_state=before, to_state=after)
        with pytest.raises(IntegrityError), transaction.atomic():
            RewardTransition.objects.create(reward=reward, from_state=before, to_state=after)
        assert RewardTransition.objects.count() == 1
    else:
        with pytest.raises(IntegrityError), transaction.atomic():
            RewardTransition.objects.create(reward=reward, from_state=before, to_state=after)
        assert RewardTransition.objects.count() == 0


def test_a_returned_payment_takes_its_rewards_back_once() -> None:
    reward, other = rewarded(source="payment:1"), rewarded(source="payment:2")
    assert [claw_back(source="payment:1", note="Charged back") for _ in range(2)] == [1, 0]
    assert (state_of(reward), state_of(other)) == ("clawed_back", "pending")
    assert moves_of(reward) == [("", "pending"), ("pending", "clawed_back")]
    assert claw_back(source="payment:9", note="Unknown") == 0


def test_what_is_not_paid_is_taken_back_in_one_program_alone() -> None:
    partner = make_partner()
    by_partner, by_refer = pay(bring(partner.code)), pay(bring(make_referrer(partner.user).code))
    stranger = rewarded()
    assert claw_back_unpaid(user_id=partner.user_id, program="partner", by=UserFactory(), note="Fraud") == 1
    assert [state_of(reward) for reward in (by_partner, by_refer, stranger)] == ["clawed_back", "pending", "pending"]


def test_rewards_mature_after_the_hold_and_each_beneficiary_is_told_once() -> None:
    partner, other = make_partner("10", user=UserFactory(name="Ann")), make_partner()
    for n, (amount, currency) in enumerate((("100", "USD"), ("50.50", "USD"), ("1000", "JPY"))):
        pay(bring(partner.code), amount, currency, f"payment:{n}")
    pay(bring(other.code), "10", "EUR", "payment:3")
    with time_machine.travel(timezone.now() + settings.REWARD_HOLD - timedelta(minutes=1), tick=False):
        assert earn_matured() is False
        assert Reward.objects.filter(state="pending").count() == 4
    with time_machine.travel(timezone.now() + LATER, tick=False):
        late = pay(bring(other.code), "10", "EUR", "payment:4")
        assert earn_matured() is False
        assert earn_matured() is False
    assert sorted(Reward.objects.values_list("state", flat=True)) == ["earned"] * 4 + ["pending"]
    assert state_of(late) == "pending"
    with unscoped(reason="test"):
        mails = {mail.to: mail for mail in Mail.objects.filter(kind="reward_earned")}
        assert Mail.objects.count() == 2
    mail = mails[partner.user.email]
    assert mail.subject == "You have earned ¥100, $15.05"
    assert "Hello Ann," in mail.text
    assert "You earned 3 rewards for people who joined Leadwright: ¥100, $15.05." in mail.text
    assert "You earned 1 reward for people who joined Leadwright: €2.00." in mails[other.user.email].text


def test_a_piece_of_the_periodic_task_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.programs.rewards.BATCH", 2)
    partner = make_partner()
    for n in range(5):
        pay(bring(partner.code), source=f"payment:{n}")
    Reward.objects.update(matures_at=timezone.now())
    assert [earn_matured() for _ in range(4)] == [True, True, False, False]
    assert Reward.objects.filter(state="earned").count() == 5


def test_the_periodic_task_is_known_and_runs_until_nothing_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("accounts.programs.rewards.BATCH", 1)
    only(monkeypatch, "rewards")
    TaskSchedule.objects.all().delete()
    rewards = [rewarded() for _ in range(3)]
    Reward.objects.update(matures_at=timezone.now())
    run_due_tasks()
    assert [state_of(reward) for reward in rewards] == ["earned"] * 3
    assert (TaskSchedule.objects.get().error, TaskSchedule.objects.get().due_at > timezone.now()) == ("", True)


# Many at once


@pytest.mark.django_db(transaction=True)
def test_twenty_accruals_of_one_source_make_one_reward() -> None:
    referral = bring(make_partner().code)
    made = at_once(20, None, lambda n: pay(referral).pk)
    assert set(made) == {Reward.objects.get().pk}
    assert RewardTransition.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_twenty_first_payments_make_one_reward() -> None:
    referral = bring(make_referrer().code)
    made = at_once(20, None, lambda n: getattr(pay(referral, source=f"payment:{n}"), "pk", None))
    assert sorted(made, key=str) == sorted([Reward.objects.get().pk, *[None] * 19], key=str)
    assert RewardTransition.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_reward_is_paid_or_taken_back_once() -> None:
    reward, staff = rewarded(), UserFactory()
    earn(reward)

    def move(n: int) -> str:
        if n % 2:
            pay_reward(reward_id=reward.pk, by=staff)
            return "paid"
        claw_back_reward(reward_id=reward.pk, by=staff, note="x")
        return "clawed back"

    results = at_once(20, None, move)
    assert results.count("clawed back") == 1
    assert results.count("paid") <= 1
    assert results.count("ValidationFailed") == 19 - results.count("paid")
    paid = [("earned", "paid"), ("paid", "clawed_back")]
    assert moves_of(reward)[2:] == (paid if "paid" in results else [("earned", "clawed_back")])


@pytest.mark.django_db(transaction=True)
def test_tasks_at_once_earn_each_reward_once() -> None:
    partner = make_partner()
    for n in range(20):
        pay(bring(partner.code), source=f"payment:{n}")
    Reward.objects.update(matures_at=timezone.now())

    def task(_: int) -> bool:
        with unscoped(reason="test: as the periodic task runs"):
            return earn_matured()

    at_once(4, None, task)
    assert Reward.objects.filter(state="earned").count() == 20
    assert RewardTransition.objects.filter(to_state="earned").count() == 20


@pytest.mark.django_db(transaction=True)
def test_after_a_revocation_that_takes_back_nothing_is_left() -> None:
    """Payments and the revocation at the same time: each reward was there before it and is taken back, or is not
    made."""
    partner, staff = make_partner(), UserFactory()
    referrals = [bring(partner.code) for _ in range(12)]

    def act(n: int) -> Any:
        if n == 5:
            return revoke_partnership(program_id=partner.pk, by=staff, claw_back=True).status
        return pay(referrals[n], source=f"payment:{n}")

    at_once(12, None, act)
    assert PartnerProgram.objects.get().status == "revoked"
    assert set(Reward.objects.values_list("state", flat=True)) <= {"clawed_back"}


# The whole ledger


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("accrue", "accrue", "earn", "pay", "pay", "claw back", "return", "settle")),
        st.integers(0, 3),
        st.sampled_from(("USD", "EUR", "JPY")),
        st.integers(1, 100_000),
    ),
    max_size=30,
)


@examples(
    max_examples=thorough(60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_the_ledger_adds_up(steps: list[tuple[str, int, str, int]]) -> None:
    """Whatever happens in whatever order: each reward's moves are a chain that ends in its state, and each figure is a
    sum over moves.
    """
    with transaction.atomic():
        partner, staff, numbers = make_partner("33.33"), UserFactory(), count()
        referrals = [bring(partner.code) for _ in range(2)]
        for name, which, currency, cents in steps:
            rewards = list(Reward.objects.order_by("created_at", "id"))
            chosen = rewards[which % len(rewards)] if rewards else None
            try:
                if name == "accrue":
                    pay(referrals[which % 2], str(Decimal(cents) / 100), currency, f"payment:{next(numbers)}")
                elif chosen is not None:
                    act(name, chosen, staff)
            except ValidationFailed:
                pass
        check_ledger(partner.user_id)
        transaction.set_rollback(True)


def act(name: str, reward: Reward, staff: Any) -> None:
    if name == "earn":
        earn(reward)
    elif name == "pay":
        pay_reward(reward_id=reward.pk, by=staff)
    elif name == "claw back":
        claw_back_reward(reward_id=reward.pk, by=staff, note="x")
    elif name == "return":
        claw_back(source=reward.source, note="x")
    else:
        settle_reward(reward_id=reward.pk, by=staff)


def check_ledger(user_id: str) -> None:
    expected: dict[str, dict[str, Decimal]] = defaultdict(lambda: defaultdict(Decimal))
    for reward in Reward.objects.filter(beneficiary_id=user_id):
        moves = moves_of(reward)
        assert moves[0] == ("", "pending")
        assert [after for _, after in moves[:-1]] == [before for before, _ in moves[1:]]
        assert moves[-1][1] == reward.state
        assert len(set(moves)) == len(moves)
        for before, after in moves:
            if (before, after) == ("clawed_back", "clawed_back"):
                expected[reward.currency]["owed"] -= reward.amount
                continue
            expected[reward.currency][after] += reward.amount
            if before:
                expected[reward.currency][before] -= reward.amount
            if (before, after) == ("paid", "clawed_back"):
                expected[reward.currency]["owed"] += reward.amount
    found = balances(user_id=user_id)
    assert [row["currency"] for row in found] == sorted(expected)
    for row in found:
        figures = expected[row["currency"]]
        assert {name: row[name] for name in ("pending", "earned", "paid", "clawed_back", "owed")} == {
            name: figures[name] for name in ("pending", "earned", "paid", "clawed_back", "owed")
        }
        assert row["payable"] == row["earned"] - row["owed"]
    assert Referral.objects.filter(referrer_id=user_id).count() == 2
