"""Roles: permissions of a company's members (contract 4.12). Members grant at most what they have."""

from __future__ import annotations

from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.roles.authority import forbid_escalation, reload_actor
from accounts.roles.models import Role
from accounts.roles.permissions import DEFAULT_ROLES, compact_permission, parse_permission, parse_scope
from accounts.users.memberships import MembershipStatus
from core.access import Actor, own_modules, reserve_quota
from core.errors import NamedError, shorten
from core.lists import BulkSelection
from core.tenancy import company_id
from core.types import Values

IN_USE = (MembershipStatus.ACCEPTED, MembershipStatus.BLOCKED, MembershipStatus.INVITED)
"""Statuses of members whose role is in use. Owners need no role, and former members only remember theirs."""


class SavedRole(NamedTuple):
    """A role, and the name of the one that was the default until this one became it."""

    role: Role
    former_default: str


def seed_roles() -> None:
    """Create the default roles of the active company.

    A company with a default role has had them already and may have changed them.
    """
    if Role.objects.filter(is_default=True).exists():
        return
    # A request that seeds at the same time may insert them first.
    Role.objects.bulk_create(
        [
            Role(
                name=seed.name,
                description=seed.description,
                permission=seed.permission,
                is_default=seed.is_default,
                company_id=company_id(),
            )
            for seed in DEFAULT_ROLES
        ],
        ignore_conflicts=True,
    )
    if not Role.objects.filter(is_default=True).exists():
        name = next(seed.name for seed in DEFAULT_ROLES if seed.is_default)
        Role.objects.filter(name__iexact=name).update(is_default=True)


@transaction.atomic
def create_role(*, actor: Actor, values: Values) -> SavedRole:
    """Create a role with name, permission, description and is_default, which moves the default to it.

    Raises RoleOrPermissionRequired_400 without name or permission, RoleNameAlreadyExists_400, and
    UnauthorizedAction_403 for a permission beyond the actor's own. `record_scope` has module -> own or all.
    """
    missing_names = [name for name in ("name", "permission") if values.get(name) is None]
    if missing_names:
        detail = "a role needs a name and a permission"
        raise NamedError("RoleOrPermissionRequired_400", detail, field=missing_names)
    permission = compact_permission(parse_permission(values["permission"]))
    scope = parse_scope(values.get("record_scope", {}))
    actor = reload_actor(actor)
    forbid_escalation(actor, permission, "the role would permit", own_modules(scope))
    reserve_quota("role")
    by = actor.member_id or None
    stored = {**values, "permission": permission, "record_scope": scope}
    role = Role(**stored, created_by_id=by, updated_by_id=by)
    # The old default goes first, since the unique index allows no second one even for a short time.
    former = _take_default() if role.is_default else ""
    return SavedRole(_save(role), former)


@transaction.atomic
def update_role(*, actor: Actor, id: str, values: Values) -> SavedRole:
    """Change the given values of a role. A permission is replaced as a whole; omitted flags are not allowed.

    Raises RoleNotFound_404 and RoleNameAlreadyExists_400, RoleOrPermissionRequired_400 without changes, and
    BadRequest_400 for isDefault false on the default role.

    Raises UnauthorizedAction_403 for a role that exceeds the actor's permissions before or after, and for the
    permission of the actor's own role.
    """
    actor = reload_actor(actor)
    role = Role.objects.select_for_update(no_key=True).filter(pk=id).first()
    if role is None:
        raise NamedError("RoleNotFound_404", "there is no such role in this company", field="id")
    if not values:
        raise NamedError(
            "RoleOrPermissionRequired_400",
            "give at least one of them",
            field=("name", "description", "permission", "recordScope", "isDefault"),
        )
    # Also for the role as it is: otherwise a manager could strip the administrators of their rights.
    forbid_escalation(actor, role.permission, "the role permits", role.own_modules)
    if {"permission", "record_scope"} & values.keys():
        if not actor.is_owner and role.members.filter(pk=actor.member_id).exists():
            raise NamedError(
                "UnauthorizedAction_403", "nobody changes the permission of the role that they hold themselves"
            )
        permission = compact_permission(parse_permission(values.get("permission", role.permission)))
        scope = {**role.record_scope, **parse_scope(values.get("record_scope", {}))}
        forbid_escalation(actor, permission, "the role would permit", own_modules(scope))
        values = {**values, "permission": permission, "record_scope": scope}
    if role.is_default and values.get("is_default") is False:
        raise NamedError(
            "BadRequest_400", "a company has one default role; make another one the default instead", field="isDefault"
        )
    former = _take_default() if values.get("is_default") and not role.is_default else ""
    for name, value in values.items():
        setattr(role, name, value)
    role.updated_by_id = actor.member_id or None
    return SavedRole(_save(role), former)


def _take_default() -> str:
    """Take the default away from the company's default role. Returns that role's name."""
    default = Role.objects.filter(is_default=True)
    name = default.values_list("name", flat=True).first() or ""
    default.update(is_default=False, updated_at=timezone.now())
    return name


@transaction.atomic
def delete_roles(*, actor: Actor, selection: BulkSelection) -> int:
    """Delete the selected roles, all or none. Return their number.

    Raises RoleNotFound_404 if there are none, and BadRequest_400 for the default role and for a role in use. Raises
    UnauthorizedAction_403 for a role beyond the actor's own permissions.
    """
    actor = reload_actor(actor)
    # By id, so that two deletions of the same roles wait instead of deadlocking.
    roles = list(
        Role.objects.select_for_update().filter(pk__in=selection.apply(Role.objects.all()).values("pk")).order_by("pk")
    )
    if not roles:
        raise NamedError("RoleNotFound_404", "none of the selected roles is one of this company")
    for role in roles:
        forbid_escalation(actor, role.permission, f"the role {shorten(role.name, 60)!r} permits", role.own_modules)
        if role.is_default:
            raise NamedError(
                "BadRequest_400", f"{shorten(role.name, 60)!r} is the default role; make another one the default first"
            )
    ids = [role.pk for role in roles]
    in_use = Role.objects.filter(pk__in=ids, members__status__in=IN_USE).order_by("members__pk")
    holders = list(in_use.values_list("members__email", "name")[:4])
    if holders:
        names = ", ".join(f"{email} ({shorten(name, 60)})" for email, name in holders[:3])
        more = " and others" if len(holders) > 3 else ""
        raise NamedError("BadRequest_400", f"in use by {names}{more}; give these members another role first")
    for role in roles:
        # Former members only remember the role, so they do not keep it from deletion.
        role.members.update(role=None)
    Role.objects.filter(pk__in=ids).delete()
    return len(ids)


def _save(role: Role) -> Role:
    try:
        # The savepoint keeps the caller's transaction usable after a taken name.
        with transaction.atomic():
            role.save()
    except IntegrityError as error:
        if "role_name_unique" not in str(error):
            raise
        raise NamedError(
            "RoleNameAlreadyExists_400",
            f"{shorten(role.name, 60)!r} is already in use",
            field="name",
        ) from None
    return role
