"""An actor's authority over members and roles, checked under a lock that keeps others from changing them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from django.db import connection, transaction

from accounts.companies.models import Company
from accounts.roles.models import Role
from accounts.roles.permissions import Permission, missing_flags
from accounts.users.memberships import MembershipStatus
from accounts.users.models import User
from core.access import Actor, AuthPath
from core.errors import NamedError
from core.tenancy import company_id

MAX_NAMED = 5
"""Maximum number of permissions that an error names."""


def lock_company() -> None:
    """Lock the company's members and roles until the transaction ends, so that changes of them are sequential."""
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError(
            "the lock on a company's members needs the transaction that changes them"
        )
    # NO KEY: others can still write rows that refer to the company.
    Company.objects.select_for_update(no_key=True).only("pk").get(pk=company_id())


def reload_actor(actor: Actor) -> Actor:
    """Lock the company's members and roles, and reload the actor's permissions, which may have changed since.

    Raises UnauthorizedAction_403 for a member who is no longer accepted, and for a key whose creator is no owner.
    """
    lock_company()
    if not actor.member_id:
        return actor
    member = User(pk=actor.user_id).memberships.select_related("role").filter(pk=actor.member_id).first()
    status = member.status if member else ""
    if member is None or status not in (MembershipStatus.OWNER, MembershipStatus.ACCEPTED):
        raise NamedError("UnauthorizedAction_403", "your membership is not accepted or is blocked")
    # A key is no person that could be asked. Only an owner's key manages members and roles.
    if actor.auth_path is AuthPath.KEY and status != MembershipStatus.OWNER:
        raise NamedError("UnauthorizedAction_403", "the key's maker is no owner any more")
    return replace(
        actor,
        is_owner=status == MembershipStatus.OWNER,
        is_accepted=status == MembershipStatus.ACCEPTED,
        permissions=member.permissions(),
        own_modules=member.role.own_modules if member.role else frozenset(),
    )


def forbid_escalation(actor: Actor, permission: Permission, what: str, own: Collection[str]) -> None:
    """Refuse a permission with flags that the actor lacks (UnauthorizedAction_403); `what` begins the hint.

    `own` has the modules whose records the permission limits to own ones; an actor who is limited themselves gives no
    others.
    """
    wider = frozenset() if actor.is_owner else actor.own_modules - set(own)
    if wider:
        text = f"{what} all records of {', '.join(sorted(wider))}, and your role is limited to own records"
        raise NamedError("UnauthorizedAction_403", text)
    beyond = missing_flags(actor, permission)
    if beyond:
        more = f" and {len(beyond) - MAX_NAMED} more" if len(beyond) > MAX_NAMED else ""
        raise NamedError(
            "UnauthorizedAction_403", f"{what} {', '.join(beyond[:MAX_NAMED])}{more}, which you lack yourself"
        )


def find_role(role_id: str | None) -> Role:
    """Return the company's role, by default its default role. Raises RoleNotFound_404, DefaultRoleNotFound_404."""
    role: Role | None
    if role_id is None:
        role = Role.objects.filter(is_default=True).first()
        if role is None:
            raise NamedError(
                "DefaultRoleNotFound_404",
                "choose a role, or make one the default",
                field="role",
                operation="PUT /role/:id",
            )
        return role
    role = Role.objects.filter(pk=role_id).first()
    if role is None:
        raise NamedError("RoleNotFound_404", "there is no such role in this company", field="role")
    return role


def staff_actor(*, user_id: str, company_id: str) -> Actor:
    """Return a member of the service's staff as an actor: no member of the company, and bound by no role."""
    return Actor(AuthPath.SESSION, user_id, company_id, is_owner=True)
