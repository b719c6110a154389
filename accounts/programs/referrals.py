"""Referral codes, and who brought whom: written once, in the registration."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from accounts.companies.models import Company
from accounts.programs.models import PartnerProgram, ReferProgram, Referral, Reward
from accounts.users.models import User

ALPHABET = "23456789BCDFGHJKMNPQRSTVWXZ"
"""No vowels, so that no code is a word, and nothing that is taken for something else when read aloud or from paper: no 0, 1, L or Y."""

LENGTH = 8
WORKING: Mapping[str, tuple[str, Any, str]] = {
    "P": (Referral.Program.PARTNER, PartnerProgram, PartnerProgram.Status.APPROVED),
    "R": (Referral.Program.REFER, ReferProgram, ReferProgram.Status.ACTIVE),
}
"""A code's first character -> its program, where it is kept, and the state in which it works; so no two programs ever share a code."""

_SHAPE = re.compile(f"[{''.join(WORKING)}][{ALPHABET}]{{{LENGTH - 1}}}")


def make_code(prefix: str) -> str:
    """A code that nobody can guess and that probably nobody has."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(LENGTH - 1))


def clean_code(code: str) -> str:
    """The code as it is stored, whatever its case, spaces and hyphens; empty for what cannot be one."""
    plain = re.sub(r"[\s-]", "", code).upper()
    return plain if _SHAPE.fullmatch(plain) else ""


def link_of(code: str) -> str:
    """The address to hand on."""
    return f"{settings.REGISTER_URL}?referralCode={code}"


def attribute(*, user: User, company: Company, code: str) -> Referral | None:
    """Write down who brought the user that registers with the company, in the caller's transaction.

    None, and nothing written, for a code that is unknown or does not work now, for one's own, and for who was brought by somebody already.
    """
    referral = _referral_by(clean_code(code))
    if referral is None or referral.referrer_id == user.pk:
        return None
    referral.user, referral.referred_company = user, company
    Referral.objects.bulk_create([referral], ignore_conflicts=True)
    return Referral.objects.filter(pk=referral.pk).first()


def _referral_by(code: str) -> Referral | None:
    """A referral by the owner of a working code, of nobody yet."""
    if not code:
        return None
    program, model, working = WORKING[code[0]]
    owner = (
        model.objects.filter(code=code, status=working, user__is_active=True).values_list("user_id", flat=True).first()
    )
    return None if owner is None else Referral(program=program, referrer_id=owner, code=code)


def count_referrals(*, user_id: str, program: str) -> dict[str, int]:
    """How many people the user has brought to a program, as `referred_users` counts them, and for how many there is a reward."""
    live = Reward.objects.filter(referral=OuterRef("pk")).exclude(state=Reward.State.CLAWED_BACK)
    rows = Referral.objects.filter(referrer_id=user_id, program=program, user__email_verified_at__isnull=False)
    return rows.aggregate(referrals=Count("pk"), rewarded=Count("pk", filter=Q(Exists(live))))


def referred_users(*, user_id: str, program: str) -> QuerySet[Any]:
    """The people whom the user has brought to a program and who have shown that their address is theirs.

    Others are left out: whoever registers an address by their own code would see whether somebody has an account with it already.
    """
    brought = User.objects.filter(referred_by__referrer_id=user_id, referred_by__program=program)
    return brought.filter(email_verified_at__isnull=False)


__all__ = ["attribute", "clean_code", "count_referrals", "link_of", "make_code", "referred_users"]
