"""Referral codes, and the referral that a registration records."""

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
"""No vowels, so that no code is a word, and no characters that look or sound alike: no 0, 1, L or Y."""

LENGTH = 8
CODE_PROGRAMS: Mapping[str, tuple[str, Any, str]] = {
    "P": (Referral.Program.PARTNER, PartnerProgram, PartnerProgram.Status.APPROVED),
    "R": (Referral.Program.REFER, ReferProgram, ReferProgram.Status.ACTIVE),
}
"""First character of a code -> its program, its model, and the status in which it works. Programs share no codes."""

_SHAPE = re.compile(f"[{''.join(CODE_PROGRAMS)}][{ALPHABET}]{{{LENGTH - 1}}}")


def make_code(prefix: str) -> str:
    """Make a random code, which is probably unused."""
    return prefix + "".join(secrets.choice(ALPHABET) for _ in range(LENGTH - 1))


def clean_code(code: str) -> str:
    """Return the code in its stored form, without spaces and hyphens, in upper case; empty for an impossible code."""
    # People copy codes from mails and paper, with blanks, hyphens and small letters.
    plain = re.sub(r"[\s-]", "", code).upper()
    return plain if _SHAPE.fullmatch(plain) else ""


def link_of(code: str) -> str:
    """Return the link that the user shares."""
    return f"{settings.REGISTER_URL}?referralCode={code}"


def record_referral(*, user: User, company: Company, code: str) -> Referral | None:
    """Record in the caller's transaction who referred the user that registers with the company.

    Returns None and records nothing for a code that is unknown or inactive, for the user's own code, and for a user who
    has a referral already.
    """
    referral = _referral_by(clean_code(code))
    if referral is None or referral.referrer_id == user.pk:
        return None
    referral.user = user
    referral.referred_company = company
    # A person is referred once. A conflict leaves the earlier referral, and the registration goes on.
    Referral.objects.bulk_create([referral], ignore_conflicts=True)
    return Referral.objects.filter(pk=referral.pk).first()


def _referral_by(code: str) -> Referral | None:
    """Return an unsaved referral by the owner of an active code, or None for any other code."""
    if not code:
        return None
    program, model, working = CODE_PROGRAMS[code[0]]
    owner = (
        model.objects.filter(code=code, status=working, user__is_active=True).values_list("user_id", flat=True).first()
    )
    return None if owner is None else Referral(program=program, referrer_id=owner, code=code)


def count_referrals(*, user_id: str, program: str) -> dict[str, int]:
    """Count the users whom the user has referred to a program (see `referred_users`), and the rewarded ones."""
    live = Reward.objects.filter(referral=OuterRef("pk")).exclude(state=Reward.State.CLAWED_BACK)
    rows = Referral.objects.filter(referrer_id=user_id, program=program, user__email_verified_at__isnull=False)
    return rows.aggregate(referrals=Count("pk"), rewarded=Count("pk", filter=Q(Exists(live))))


def referred_users(*, user_id: str, program: str) -> QuerySet[Any]:
    """Return the users referred to a program by the user whose address is verified.

    Without this condition anybody could register an address by their own code and see whether it has an account.
    """
    brought = User.objects.filter(referred_by__referrer_id=user_id, referred_by__program=program)
    return brought.filter(email_verified_at__isnull=False)


__all__ = ["clean_code", "count_referrals", "link_of", "make_code", "record_referral", "referred_users"]
