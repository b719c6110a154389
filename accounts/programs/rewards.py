"""The ledger of rewards: what payments of referred companies bring to those who brought them.

A partner gets a share of each payment. In the referral program the first payment brings settings.REFER_REWARD_PERCENT of it,
once for each person brought. A reward is pending for settings.REWARD_HOLD, then earned, then paid out by the back office; it is
clawed back when its payment is returned. Every move is a RewardTransition.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from itertools import groupby
from typing import Any

from babel.numbers import get_currency_precision
from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.mails.services import queue_mail
from accounts.members.models import Member
from accounts.programs.models import OWED, REWARD_MOVES, PartnerProgram, Referral, Reward, RewardTransition
from accounts.users.models import User
from core.errors import ValidationFailed
from core.tenancy import unscoped
from core.text.formats import Formats

State = Reward.State
BATCH = 500
FIGURES = {
    "pending": Q(state=State.PENDING),
    "earned": Q(state=State.EARNED),
    "paid": Q(state=State.PAID),
    "clawed_back": Q(state=State.CLAWED_BACK),
    "owed": OWED,
}
"""What a balance shows, and which rewards each figure is the sum of."""


@transaction.atomic
def accrue(*, company_id: str, amount: Decimal, currency: str, source: str) -> Reward | None:
    """The reward for a payment of the company, written in the transaction of the payment; `source` names the payment.

    The same source again gives the reward that there is. None when nobody brought the company, or the payment brings nothing.
    """
    referral = Referral.objects.filter(referred_company_id=company_id, referrer__is_active=True).first()
    if referral is None or _owns(referral.referrer_id, company_id):
        return None
    share = round_money(amount * _percent(referral) / 100, currency)
    if share <= 0:
        return None
    fresh = Reward(
        referral=referral,
        beneficiary_id=referral.referrer_id,
        program=referral.program,
        amount=share,
        currency=currency.upper(),
        source=source,
        matures_at=timezone.now() + settings.REWARD_HOLD,
    )
    # One for each source, and in the referral program one that stands for each person: the constraints see to it under any concurrency.
    Reward.objects.bulk_create([fresh], ignore_conflicts=True)
    reward = Reward.objects.filter(referral=referral, source=source).first()
    if reward is not None and reward.pk == fresh.pk:
        RewardTransition.objects.create(reward=reward, to_state=State.PENDING, note=source)
    return reward


def _percent(referral: Referral) -> Decimal:
    """The share of a payment that the referral brings now. A partner's row is locked, so that a revocation is before or after it."""
    if referral.program == Referral.Program.REFER:
        return settings.REFER_REWARD_PERCENT
    partners = PartnerProgram.objects.select_for_update(no_key=True).filter(
        user_id=referral.referrer_id, status=PartnerProgram.Status.APPROVED
    )
    found = partners.values_list("commission_percent", flat=True).first()
    return Decimal(0) if found is None else found


def _owns(user_id: str, company_id: str) -> bool:
    """Whether the user would be rewarded for what they pay themselves."""
    with unscoped(reason="rewards: whether the referrer owns the company that pays"):
        return Member.objects.filter(company_id=company_id, user_id=user_id, status=Member.Status.OWNER).exists()


def round_money(amount: Decimal, currency: str) -> Decimal:
    """The amount in the currency's smallest unit, halves up."""
    return amount.quantize(Decimal(1).scaleb(-get_currency_precision(currency.upper())), rounding=ROUND_HALF_UP)


# Moves


def earn_matured() -> bool:
    """Rewards whose time has come are earned, and each beneficiary is told by one mail; whether there are more."""
    with transaction.atomic():
        due = Reward.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            state=State.PENDING, matures_at__lte=timezone.now()
        )
        rewards = list(due.select_related("beneficiary").order_by("matures_at")[:BATCH])
        _move(rewards, State.EARNED)
        for beneficiary, mine in groupby(
            sorted(rewards, key=lambda reward: reward.beneficiary_id), key=lambda reward: reward.beneficiary
        ):
            _tell_earned(beneficiary, list(mine))
    return len(rewards) == BATCH


def _tell_earned(user: User, rewards: list[Reward]) -> None:
    totals: dict[str, Decimal] = {}
    for reward in rewards:
        totals[reward.currency] = totals.get(reward.currency, Decimal(0)) + reward.amount
    amounts = [Formats().money(total, currency) for currency, total in sorted(totals.items())]
    queue_mail(
        "reward_earned",
        to=user.email,
        context={"name": user.get_short_name(), "count": len(rewards), "amounts": amounts},
    )


@transaction.atomic
def pay_reward(*, reward_id: str, by: User, note: str = "") -> None:
    """An earned reward has been paid out; ValidationFailed for any other."""
    reward = _locked(reward_id, State.PAID)
    _move([reward], State.PAID, by=by, note=note, paid_at=timezone.now())


@transaction.atomic
def claw_back_reward(*, reward_id: str, by: User, note: str) -> None:
    """Take a reward back, whatever its state; what was paid is owed from now on. ValidationFailed when it was taken back already."""
    reward = _locked(reward_id, State.CLAWED_BACK)
    if reward.state == State.CLAWED_BACK:
        raise ValidationFailed("the reward cannot be clawed back", "it was clawed back already")
    _move([reward], State.CLAWED_BACK, by=by, note=note)


@transaction.atomic
def settle_reward(*, reward_id: str, by: User, note: str = "") -> None:
    """What was paid and clawed back has been given back, or kept from a payout; ValidationFailed when nothing is owed."""
    reward = _locked(reward_id, State.CLAWED_BACK)
    if reward.state != State.CLAWED_BACK or reward.paid_at is None or reward.settled_at is not None:
        raise ValidationFailed("the reward cannot be settled", "nothing is owed for it")
    _move([reward], State.CLAWED_BACK, by=by, note=note or "Settled", settled_at=timezone.now())


@transaction.atomic
def claw_back(*, source: str, note: str) -> int:
    """Take back what a payment that was returned has brought; how many rewards went. Again: none."""
    rewards = list(
        Reward.objects.select_for_update().filter(source=source).exclude(state=State.CLAWED_BACK).order_by("pk")
    )
    _move(rewards, State.CLAWED_BACK, note=note)
    return len(rewards)


@transaction.atomic
def claw_back_unpaid(*, user_id: str, program: str, by: User, note: str) -> int:
    """Take back all that a user has not been paid yet in a program; how many rewards went."""
    unpaid = Q(beneficiary_id=user_id, program=program, state__in=(State.PENDING, State.EARNED))
    rewards = list(Reward.objects.select_for_update().filter(unpaid).order_by("pk"))
    _move(rewards, State.CLAWED_BACK, by=by, note=note)
    return len(rewards)


def _locked(reward_id: str, to_state: str) -> Reward:
    """The reward, held until the transaction ends; ValidationFailed where the move is not legal."""
    reward = Reward.objects.select_for_update().get(pk=reward_id)
    if (reward.state, to_state) not in REWARD_MOVES:
        raise ValidationFailed(
            f"the reward cannot become {to_state}", f"it is {reward.state} and cannot become {to_state}"
        )
    return reward


def _move(
    rewards: Sequence[Reward], to_state: str, *, by: User | None = None, note: str = "", **values: datetime
) -> None:
    """Write legal moves of held rewards and their transitions."""
    moved = 0
    for before in {reward.state for reward in rewards}:
        rows = Reward.objects.filter(pk__in=[reward.pk for reward in rewards if reward.state == before], state=before)
        moved += rows.update(state=to_state, updated_at=timezone.now(), **values)
    if moved != len(rewards):
        raise RuntimeError(f"{len(rewards) - moved} rewards were moved by somebody else meanwhile")
    RewardTransition.objects.bulk_create(
        [
            RewardTransition(reward=reward, from_state=reward.state, to_state=to_state, by=by, note=note[:300])
            for reward in rewards
        ]
    )


# Figures


def balances(*, user_id: str, program: str | None = None) -> list[dict[str, Any]]:
    """A user's figures per currency, each a sum of rewards. `owed` was paid and clawed back; `payable` is what is earned less that,
    and may be negative."""
    rows: QuerySet[Any] = Reward.objects.filter(beneficiary_id=user_id, **({"program": program} if program else {}))
    found: Any = rows.values("currency").annotate(**_sums(*FIGURES)).order_by("currency")
    return [{**row, "payable": row["earned"] - row["owed"]} for row in found]


def payouts(limit: int) -> list[dict[str, Any]]:
    """Who is to be paid how much, or owes it, by beneficiary and currency; the largest first."""
    rows: Any = Reward.objects.filter(Q(state=State.EARNED) | OWED).values(
        "beneficiary_id", "beneficiary__email", "currency"
    )
    found = rows.annotate(**_sums("earned", "owed")).order_by("-earned", "beneficiary_id", "currency")
    return [{**row, "payable": row["earned"] - row["owed"]} for row in found[:limit]]


def _sums(*names: str) -> dict[str, Any]:
    return {name: Coalesce(Sum("amount", filter=FIGURES[name]), Value(Decimal(0))) for name in names}
