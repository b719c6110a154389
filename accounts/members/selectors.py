"""Reads of memberships that are more than a filter."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.members.models import Member
from accounts.users.memberships import SEATED
from accounts.users.models import User

Status = Member.Status


def live_invites() -> Q:
    """Select invites that can still be accepted: the periodic task may not have marked the expired ones yet."""
    return Q(status=Status.INVITED) & (Q(invite_expires_at__isnull=True) | Q(invite_expires_at__gt=timezone.now()))


def seats() -> QuerySet[Member]:
    """Return the memberships that use a seat of the active company: members, even blocked ones, and open invites."""
    members: QuerySet[Member] = Member.objects.filter(Q(status__in=SEATED) | live_invites())
    return members


def colleagues() -> QuerySet[Member]:
    """Return the members of the active company without its owners, including open invites."""
    return seats().exclude(status=Status.OWNER)


def has_verified_owner() -> bool:
    """Return whether an owner of the active company has shown that their address is theirs."""
    exists: bool = Member.objects.filter(status=Status.OWNER, user__email_verified_at__isnull=False).exists()
    return exists


def addressed_to(user_id: str) -> Q:
    """Select memberships of the user, or of an address that the user has verified."""
    addresses = User.objects.filter(pk=user_id, email_verified_at__isnull=False)
    return Q(user_id=user_id) | Q(email__in=addresses.values("email"))


def invites_of(user_id: str) -> QuerySet[Member]:
    """Return the open invites to the user, of all companies (to be read unscoped)."""
    invites: QuerySet[Member] = Member.objects.filter(addressed_to(user_id), live_invites())
    return invites


def memberships_of(user_id: str) -> QuerySet[Member]:
    """Return the user's memberships of all companies, in any status (to be read unscoped)."""
    memberships: QuerySet[Member] = Member.objects.filter(user_id=user_id)
    return memberships
