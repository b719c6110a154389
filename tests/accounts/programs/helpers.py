"""People who bring others, for the tests of programs, referrals and rewards."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.utils import timezone

from accounts.auth.sessions import tokens
from accounts.models import PartnerProgram, ReferProgram, Referral, Reward, RewardTransition, User
from accounts.programs.referrals import make_code, record_referral
from accounts.programs.rewards import accrue, earn_matured
from accounts.programs.services import set_refer_program
from tests.kit.cast import Caller
from tests.kit.factories import CompanyFactory, UserFactory


def private(user: User) -> Caller:
    """The user on the private path."""
    return Caller("/api/private", {"Authorization": f"Bearer {tokens.issue(user).access}"})


def make_partner(percent: str = "20", **values: Any) -> PartnerProgram:
    """An approved partnership of a new user."""
    values = {
        "user": UserFactory(),
        "status": "approved",
        "code": make_code("P"),
        "requested_at": timezone.now(),
        **values,
    }
    return PartnerProgram.objects.create(commission_percent=Decimal(percent), **values)


def make_referrer(user: User | None = None) -> ReferProgram:
    """An active part in the referral program."""
    program = set_refer_program(user_id=(user or UserFactory()).pk, status="active")
    assert program is not None
    return program


def bring(code: str | None, **user: Any) -> Referral:
    """Register somebody by the code."""
    found = record_referral(user=UserFactory(**user), company=CompanyFactory(), code=code or "")
    assert found is not None
    return found


def pay(referral: Referral, amount: str = "100", currency: str = "USD", source: str = "payment:1") -> Reward | None:
    """Let the company of the referred user pay."""
    return accrue(
        company_id=referral.referred_company_id or "", amount=Decimal(amount), currency=currency, source=source
    )


def rewarded(percent: str = "20", **payment: str) -> Reward:
    """A pending reward of a new partner."""
    reward = pay(bring(make_partner(percent).code), **payment)
    assert reward is not None
    return reward


def moves_of(reward: Reward) -> list[tuple[str, str]]:
    """The reward's moves in their order, from and to."""
    return list(
        RewardTransition.objects.filter(reward=reward)
        .order_by("created_at", "id")
        .values_list("from_state", "to_state")
    )


def state_of(reward: Reward) -> str:
    return Reward.objects.get(pk=reward.pk).state


def earn(*rewards: Reward) -> None:
    """Let the time pass."""
    Reward.objects.filter(pk__in=[reward.pk for reward in rewards]).update(matures_at=timezone.now())
    earn_matured()
