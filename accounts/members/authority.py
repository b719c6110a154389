"""Who may change members and roles, decided while nobody else changes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from django.db import connection, transaction

from accounts.companies.models import Company
from accounts.members.models import Member
from accounts.roles.models import Role
from accounts.roles.permissions import Permission, lacking
from core.access import Actor, AuthPath
from core.errors import NamedError
from core.tenancy import company_id

NAMED = 5
"""How many permissions an error names."""


def lock_company() -> None:
    """Hold the company's members and roles until the transaction ends, so that changes of them come one after the other."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "the lock on a company's members needs the transaction that changes them"
        )
    # NO KEY: rows that refer to the company can still be written meanwhile.
    Company.objects.select_for_update(no_key=True).only("pk").get(pk=company_id())


def take_authority(actor: Actor) -> Actor:
    """Lock the company's members and roles, and tell what the actor may now: they may have lost it while they waited."""
    lock_company()
    if actor.auth_path is not AuthPath.SESSION or not actor.member_id:
        return actor
    member = Member.objects.select_related("role").filter(pk=actor.member_id).first()
    status = member.status if member else ""
    if member is None or status not in (Member.Status.OWNER, Member.Status.ACCEPTED):
        raise NamedError("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    return replace(
        actor,
        is_owner=status == Member.Status.OWNER,
        is_accepted=status == Member.Status.ACCEPTED,
        permissions=member.permissions(),
    )


def check_reach(actor: Actor, permission: Permission, what: str) -> None:
    """Refuse (UnauthorizedAction_403) to handle a permission that has something which the actor lacks; `what` begins the hint."""
    beyond = lacking(actor, permission)
    if beyond:
        more = f" and {len(beyond) - NAMED} more" if len(beyond) > NAMED else ""
        raise NamedError("UnauthorizedAction_403", f"{what} {', '.join(beyond[:NAMED])}{more}, which you lack yourself")


def check_members(actor: Actor, members: Sequence[Member]) -> None:
    """Refuse to change owners, members who may more than the actor, and the actor's own membership, unless no role binds the actor."""
    if actor.is_unbounded:
        return
    for member in members:
        if member.pk == actor.member_id:
            raise NamedError(
                "UnauthorizedAction_403",
                "nobody changes their own membership; DELETE /api/private/memberships/:id leaves the company",
            )
        if member.status == Member.Status.OWNER:
            raise NamedError("UnauthorizedAction_403", f"{member.email} is an owner; only owners change owners")
        check_reach(actor, member.permissions(), f"the role of {member.email} permits")


def keep_an_owner(leaving: Sequence[Member]) -> None:
    """Refuse (BadRequest_400) a change after which the company would have no owner; `leaving` are no owners any more after it."""
    owners = Member.objects.filter(status=Member.Status.OWNER)
    if (
        any(member.status == Member.Status.OWNER for member in leaving)
        and not owners.exclude(pk__in=[row.pk for row in leaving]).exists()
    ):
        raise NamedError("BadRequest_400", "the company's last owner stays its owner; hand the ownership over first")


def find_role(role_id: str | None) -> Role:
    """The company's role, or its default one for None; RoleNotFound_404, DefaultRoleNotFound_404."""
    if role_id is None:
        found = Role.objects.filter(is_default=True).first()
        if found is None:
            raise NamedError(
                "DefaultRoleNotFound_404", "name a role, or make one the default: PUT /role/:id {isDefault: true}"
            )
        return found
    found = Role.objects.filter(pk=role_id).first()
    if found is None:
        raise NamedError("RoleNotFound_404", "role: there is no such role in this company")
    return found
