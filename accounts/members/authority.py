"""The members that an actor may change."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.members.models import Member
from accounts.roles.authority import forbid_escalation
from core.access import Actor
from core.errors import NamedError


def check_members(actor: Actor, members: Sequence[Member]) -> None:
    """Refuse changes beyond the actor's authority, unless the actor is an owner (UnauthorizedAction_403).

    Refused are owners, members with more permissions than the actor, and the actor's own membership.
    """
    if actor.is_owner:
        return
    for member in members:
        if member.pk == actor.member_id:
            raise NamedError(
                "UnauthorizedAction_403",
                "nobody changes their own membership; leave the company instead",
                operation="DELETE /api/private/memberships/:id",
            )
        if member.status == Member.Status.OWNER:
            raise NamedError("UnauthorizedAction_403", f"{member.email} is an owner; only owners change owners")
        own = member.role.own_modules if member.role else actor.own_modules
        forbid_escalation(actor, member.permissions(), f"the role of {member.email} permits", own)


def require_owner(leaving: Sequence[Member]) -> None:
    """Refuse a change that leaves the company without an owner (BadRequest_400); `leaving` would cease to be owners."""
    owners = Member.objects.filter(status=Member.Status.OWNER)
    if (
        any(member.status == Member.Status.OWNER for member in leaving)
        and not owners.exclude(pk__in=[row.pk for row in leaving]).exists()
    ):
        raise NamedError("BadRequest_400", "the company's last owner stays its owner; hand the ownership over first")
