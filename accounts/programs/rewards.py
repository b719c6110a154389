"""The ledger of rewards that payments of referred companies bring to their referrers.

A partner gets a share of each payment. In the referral program the first payment brings settings.REFER_REWARD_PERCENT
of it, once for each referred user. A reward is pending for settings.REWARD_HOLD, then earned, then paid out by the back
office. It is clawed back when its payment is returned. Every change is a RewardTransition.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from accounts.mails.services import queue_mail
from accounts.mails.staff import mail_staff
from accounts.members.models import Member
from accounts.programs.models import OWED, REWARD_MOVES, PartnerProgram, Referral, Reward, RewardTransition
from accounts.users.models import User
from core.errors import ValidationFailed
from core.tenancy import unscoped
from core.text.currencies import exponent
from core.text.formats import money_text
from core.types import JsonObject

State = Reward.State
BATCH = 500
FIGURES = {
    "pending": Q(state=State.PENDING),
    "earned": Q(state=State.EARNED),
    "paid": Q(state=State.PAID),
    "clawed_back": Q(state=State.CLAWED_BACK),
    "owed": OWED,
}
"""The figures of a balance, and the rewards that each one sums up."""


@transaction.atomic
def accrue(*, company_id: str, amount: Decimal, currency: str, source: str) -> Reward | None:
    """Create the reward for a payment of the company in the payment's transaction; `source` names the payment.

    A repeated source returns the existing reward. Returns None if the company has no referral or the payment brings
    nothing.
    """
    referral = Referral.objects.filter(referred_company_id=company_id, referrer__is_active=True).first()
    # A user is not rewarded for their own payments.
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
    # The constraints allow one reward for each source, and in the referral program one for each person.
    Reward.objects.bulk_create([fresh], ignore_conflicts=True)
    reward = Reward.objects.filter(referral=referral, source=source).first()
    # Only the row of this call is new. A repeated payment finds the existing
    # one, which has its transition already.
    if reward is not None and reward.pk == fresh.pk:
        RewardTransition.objects.create(reward=reward, to_state=State.PENDING, note=source)
    return reward


def _percent(referral: Referral) -> Decimal:
    """Return the referrer's present share of a payment, in percent.

    A partner's row is locked, so that no revocation comes in between.
    """
    if referral.program == Referral.Program.REFER:
        return settings.REFER_REWARD_PERCENT
    partners = PartnerProgram.objects.select_for_update(no_key=True).filter(
        user_id=referral.referrer_id, status=PartnerProgram.Status.APPROVED
    )
    percent = partners.values_list("commission_percent", flat=True).first()
    return Decimal(0) if percent is None else percent


def _owns(user_id: str, company_id: str) -> bool:
    """Return whether the user owns the company, and so would be rewarded for their own payment."""
    with unscoped(reason="rewards: whether the referrer owns the company that pays"):
        owned = Member.objects.filter(company_id=company_id, user_id=user_id, status=Member.Status.OWNER)
        return bool(owned.exists())


def round_money(amount: Decimal, currency: str) -> Decimal:
    """Round the amount to the currency's smallest unit, half up."""
    # To the currency's smallest coin, since a part of it can never be paid out.
    return amount.quantize(Decimal(1).scaleb(-exponent(currency.upper())), rounding=ROUND_HALF_UP)


# Transitions


def earn_matured() -> bool:
    """Mark matured rewards as earned, and notify each beneficiary by one mail. Returns whether there are more."""
    with transaction.atomic():
        matured_rewards = Reward.objects.select_for_update(skip_locked=True, of=("self",)).filter(
            state=State.PENDING, matures_at__lte=timezone.now()
        )
        rewards = list(matured_rewards.select_related("beneficiary").order_by("matures_at")[:BATCH])
        _move(rewards, State.EARNED)
        for beneficiary, mine in groupby(
            sorted(rewards, key=lambda reward: reward.beneficiary_id), key=lambda reward: reward.beneficiary
        ):
            _mail_beneficiary(beneficiary, list(mine))
    return len(rewards) == BATCH


def _mail_beneficiary(user: User, rewards: list[Reward]) -> None:
    totals: dict[str, Decimal] = {}
    for reward in rewards:
        totals[reward.currency] = totals.get(reward.currency, Decimal(0)) + reward.amount
    amounts = [money_text(total, currency) for currency, total in sorted(totals.items())]
    queue_mail(
        "reward_earned",
        to=user.email,
        context={"name": user.get_short_name(), "count": len(rewards), "amounts": amounts},
    )


@transaction.atomic
def pay_reward(*, reward_id: str, by: User, note: str = "") -> None:
    """Mark an earned reward as paid out. Raises ValidationFailed for any other."""
    reward = _lock_reward(reward_id, State.PAID)
    _move([reward], State.PAID, by=by, note=note, paid_at=timezone.now())


@transaction.atomic
def claw_back_reward(*, reward_id: str, by: User, note: str) -> None:
    """Claw a reward back, in any state. A paid one is owed from now on.

    Raises ValidationFailed for a reward that is clawed back already.
    """
    reward = _lock_reward(reward_id, State.CLAWED_BACK)
    if reward.state == State.CLAWED_BACK:
        raise ValidationFailed("the reward cannot be clawed back", "it was clawed back already")
    _move([reward], State.CLAWED_BACK, by=by, note=note)


@transaction.atomic
def settle_reward(*, reward_id: str, by: User, note: str = "") -> None:
    """Mark an owed reward as repaid, or as deducted from a payout. Raises ValidationFailed if nothing is owed."""
    reward = _lock_reward(reward_id, State.CLAWED_BACK)
    if reward.state != State.CLAWED_BACK or reward.paid_at is None or reward.settled_at is not None:
        raise ValidationFailed("the reward cannot be settled", "nothing is owed for it")
    _move([reward], State.CLAWED_BACK, by=by, note=note or "Settled", settled_at=timezone.now())


@transaction.atomic
def claw_back(*, source: str, note: str) -> int:
    """Claw back the rewards of a returned payment. Returns their number, 0 for a repeated call."""
    rewards = list(
        Reward.objects.select_for_update().filter(source=source).exclude(state=State.CLAWED_BACK).order_by("pk")
    )
    _move(rewards, State.CLAWED_BACK, note=note)
    return len(rewards)


@transaction.atomic
def claw_back_part(*, source: str, share: Fraction, key: str, note: str) -> Decimal:
    """Claw back a share of the rewards of a payment that was partly returned. Return the amount.

    `key` names the part: a repeated one changes nothing. A reward is split into the rest and the clawed-back part,
    which has the same history. A share above the rest claws back the whole rest.
    """
    amount_taken = Decimal(0)
    part_source = f"{source}:{key}"
    rewards = Reward.objects.select_for_update().filter(source=source).exclude(state=State.CLAWED_BACK)
    for reward in rewards.order_by("pk"):
        parts = dict(
            Reward.objects.filter(referral=reward.referral_id, source__startswith=f"{source}:").values_list(
                "source", "amount"
            )
        )
        if part_source in parts:
            continue
        # The share is one of the whole reward. Of the rest alone, several partial
        # refunds would take too little back.
        full_amount = reward.amount + sum(parts.values())
        part = round_money(full_amount * share.numerator / share.denominator, reward.currency)
        # Rounding may leave a remainder, which the last part takes.
        if part >= reward.amount:
            _move([reward], State.CLAWED_BACK, note=note)
            amount_taken += reward.amount
        elif part > 0:
            _split(reward, part, part_source, note)
            amount_taken += part
    return amount_taken


LIFE = ("", State.PENDING, State.EARNED, State.PAID)


def _split(reward: Reward, part: Decimal, source: str, note: str) -> None:
    """Take a part of a locked reward off, as a reward of its own that is clawed back."""
    Reward.objects.filter(pk=reward.pk).update(amount=reward.amount - part, updated_at=timezone.now())
    fresh = Reward(
        referral_id=reward.referral_id,
        beneficiary_id=reward.beneficiary_id,
        program=reward.program,
        amount=part,
        currency=reward.currency,
        state=State.CLAWED_BACK,
        source=source,
        matures_at=reward.matures_at,
        paid_at=reward.paid_at,
    )
    fresh.save(force_insert=True)
    _note_life(fresh, [*LIFE[: LIFE.index(reward.state) + 1], State.CLAWED_BACK], note)


def _note_life(fresh: Reward, states: Sequence[str], note: str) -> None:
    moves = [RewardTransition(reward=fresh, from_state=a, to_state=b, note=note[:300]) for a, b in pairwise(states)]
    RewardTransition.objects.bulk_create(moves)


@transaction.atomic
def return_rewards(*, source: str, note: str) -> Decimal:
    """Restore the rewards of a payment that were clawed back with this note. Return the amount; 0 for a repeated call.

    The clawed-back part keeps that state, under a source of its own. The restored amount is added to the rest of the
    reward or becomes a new reward with the same history.
    """
    rows = Reward.objects.select_for_update(of=("self",)).filter(
        Q(source=source) | Q(source__startswith=f"{source}:"),
        state=State.CLAWED_BACK,
        transitions__to_state=State.CLAWED_BACK,
        transitions__note=note[:300],
    )
    return sum((_return_reward(part, source) for part in rows.select_related("referral").order_by("pk")), Decimal(0))


def _return_reward(part: Reward, source: str) -> Decimal:
    """Restore a locked reward that was clawed back. Return its amount, or 0 if the partnership was revoked."""
    claw_back = part.transitions.exclude(from_state=State.CLAWED_BACK).get(to_state=State.CLAWED_BACK)
    was_repaid = part.settled_at is not None
    state = State.EARNED if was_repaid else State(claw_back.from_state)
    if state != State.PAID and part.program == Referral.Program.PARTNER and not _percent(part.referral):
        return Decimal(0)  # revoking the partnership has cancelled its unpaid rewards
    # The source is unique, and the reward that lives again needs it.
    _rename(part, f"{part.pk}:{source}")
    if state == State.PAID:
        _move([part], State.CLAWED_BACK, note="Nothing is owed: it was given back", settled_at=timezone.now())
    living = Reward.objects.select_for_update().filter(referral=part.referral_id, source=source).first()
    if living is not None and living.state == State.CLAWED_BACK:
        _rename(living, f"{source}:{living.pk}")
        living = None
    if living is None:
        return part.amount if _live_again(part, source, state) else Decimal(0)
    # One amount is with the referrer and the other is not. Adding them up
    # would pay one of them twice, or never.
    if (living.state == State.PAID) != (state == State.PAID):
        _ask_to_pay(part)
    else:
        Reward.objects.filter(pk=living.pk).update(amount=living.amount + part.amount, updated_at=timezone.now())
    return part.amount


def _rename(reward: Reward, source: str) -> None:
    Reward.objects.filter(pk=reward.pk).update(source=source, updated_at=timezone.now())


def _live_again(part: Reward, source: str, state: str) -> bool:
    """Make a reward of a part that was clawed back. Returns whether it was: a person is rewarded once by referrals."""
    fresh = Reward(
        referral_id=part.referral_id,
        beneficiary_id=part.beneficiary_id,
        program=part.program,
        amount=part.amount,
        currency=part.currency,
        state=state,
        source=source,
        matures_at=part.matures_at,
        paid_at=part.paid_at if state == State.PAID else None,
    )
    # The source is unique: a repeated call of the gateway returns the reward once.
    Reward.objects.bulk_create([fresh], ignore_conflicts=True)
    if not Reward.objects.filter(pk=fresh.pk).exists():
        return False
    _note_life(fresh, [*LIFE[: LIFE.index(state) + 1]], "Given back")
    return True


def _ask_to_pay(part: Reward) -> None:
    """Ask staff to see to a part whose reward was paid out, or repaid, without it."""
    mail_staff(
        subject=f"A reward of {money_text(part.amount, part.currency)} is to be settled by hand",
        text="It was clawed back and is given back now; the rest of it was paid out meanwhile.",
        path=reverse("admin:accounts_reward_change", args=(part.pk,)),
        permission="accounts.view_reward",
    )


@transaction.atomic
def claw_back_unpaid(*, user_id: str, program: str, by: User, note: str) -> int:
    """Claw back all unpaid rewards of a user in a program. Returns their number."""
    unpaid = Q(beneficiary_id=user_id, program=program, state__in=(State.PENDING, State.EARNED))
    rewards = list(Reward.objects.select_for_update().filter(unpaid).order_by("pk"))
    _move(rewards, State.CLAWED_BACK, by=by, note=note)
    return len(rewards)


def _lock_reward(reward_id: str, to_state: str) -> Reward:
    """Lock the reward until the transaction ends. Raises ValidationFailed if the transition is not allowed."""
    reward = Reward.objects.select_for_update().get(pk=reward_id)
    if (reward.state, to_state) not in REWARD_MOVES:
        raise ValidationFailed(
            f"the reward cannot become {to_state}", f"it is {reward.state} and cannot become {to_state}"
        )
    return reward


def _move(
    rewards: Sequence[Reward], to_state: str, *, by: User | None = None, note: str = "", **values: datetime
) -> None:
    """Save allowed transitions of locked rewards."""
    count = 0
    for before in {reward.state for reward in rewards}:
        rows = Reward.objects.filter(pk__in=[reward.pk for reward in rewards if reward.state == before], state=before)
        count += rows.update(state=to_state, updated_at=timezone.now(), **values)
    # The update repeats the state as its condition. A difference means that
    # another process moved one without its lock.
    if count != len(rewards):
        raise RuntimeError(f"{len(rewards) - count} rewards were moved by somebody else meanwhile")
    RewardTransition.objects.bulk_create(
        [
            RewardTransition(reward=reward, from_state=reward.state, to_state=to_state, by=by, note=note[:300])
            for reward in rewards
        ]
    )


# Balances


def balances(*, user_id: str, program: str | None = None) -> list[JsonObject]:
    """Return a user's balance in each currency.

    `owed` was paid and clawed back. `payable` is `earned` less `owed`, and may be negative.
    """
    rows: QuerySet[Any] = Reward.objects.filter(beneficiary_id=user_id, **({"program": program} if program else {}))
    sums: Any = rows.values("currency").annotate(**_sums(*FIGURES)).order_by("currency")
    return [{**row, "payable": row["earned"] - row["owed"]} for row in sums]


def payouts(limit: int) -> list[JsonObject]:
    """Return the payable and owed amounts by beneficiary and currency, the largest first."""
    rows: Any = Reward.objects.filter(Q(state=State.EARNED) | OWED).values(
        "beneficiary_id", "beneficiary__email", "currency"
    )
    sums = rows.annotate(**_sums("earned", "owed")).order_by("-earned", "beneficiary_id", "currency")
    return [{**row, "payable": row["earned"] - row["owed"]} for row in sums[:limit]]


def _sums(*names: str) -> JsonObject:
    return {name: Coalesce(Sum("amount", filter=FIGURES[name]), Value(Decimal(0))) for name in names}
