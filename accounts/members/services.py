"""Changes of memberships: roles, blocking, removal, ownership. A lock on the company makes them sequential."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.api_keys.models import ApiKey
from accounts.members.authority import check_members, require_owner
from accounts.members.membership_log import Action, record
from accounts.members.models import Member
from accounts.roles.authority import find_role, forbid_escalation, lock_company, reload_actor
from accounts.roles.models import Role
from accounts.roles.permissions import ADMIN
from core.access import Actor
from core.errors import NamedError, PermissionLacking, ValidationFailed
from core.hooks import Hook
from core.lists import BulkSelection
from core.tenancy import company_scope, unscoped
from core.types import Values

Status = Member.Status
members_removed: Hook[[Sequence[str]], None] = Hook(
    __name__,
    "members_removed",
    "After members (ids) have been removed, in that transaction. Removes their data.",
)


class Removal(NamedTuple):
    """The selected members, and how many of them were still members."""

    members: list[str]
    removed: int


@transaction.atomic
def update_member(*, actor: Actor, id: str, values: Values, delete_keys: bool = False) -> Member:
    """Change the given values of a member: name, role (an id) and status (accepted, blocked or owner).

    An accepted member can be blocked or made an owner, and a blocked one accepted again. An owner set to accepted
    becomes a plain member with the given role or Admin. `delete_keys` deletes the API keys of a blocked member.

    Raises MemberNotFound_404, InvalidMemberStatus_400, MemberNotAccepted_400, MemberNotBlocked_400 and
    RoleNotFound_404. Raises RoleOrPermissionRequired_400 without changes, and BadRequest_400 for the last owner and for
    an owner's role. Raises ValidationFailed for `delete_keys` without blocking, and UnauthorizedAction_403 beyond the
    actor's authority.
    """
    actor = reload_actor(actor)
    member = lock_member(id)
    if not values and not delete_keys:
        raise NamedError("RoleOrPermissionRequired_400", "give at least one of them", field=("role", "name", "status"))
    check_members(actor, [member])
    if delete_keys and values.get("status", member.status) != Status.BLOCKED:
        raise ValidationFailed("only together with the status blocked", field="deleteKeys")
    role = None
    if values.get("role") is not None:
        role = find_role(values["role"])
        forbid_escalation(actor, role.permission, "the role permits", role.own_modules)
    if values.get("status") is not None:
        _move(actor, member, values["status"], role)
    if role is not None and role.pk != member.role_id:
        _give_role(actor, member, role)
    if "name" in values:
        member.name = values["name"]
    member.save(update_fields=["name", "role", "status", "updated_at"])
    if delete_keys:
        _delete_keys(actor, [member])
    return member


def _delete_keys(actor: Actor, members: Sequence[Member]) -> None:
    if not actor.may("api", "DELETE"):
        raise PermissionLacking("api.DELETE", field="deleteKeys")
    ApiKey.objects.filter(created_by__in=members).delete()


def _move(actor: Actor, member: Member, status: str, role: Role | None) -> None:
    if status == Status.BLOCKED:
        _expect(member, Status.ACCEPTED, "MemberNotAccepted_400", "only an accepted member can be blocked")
        _step(actor, member, Status.BLOCKED, Action.BLOCKED)
    elif status == Status.OWNER:
        if not actor.is_owner:
            raise NamedError("UnauthorizedAction_403", "only owners make owners", field="status")
        _expect(member, Status.ACCEPTED, "MemberNotAccepted_400", "only an accepted member can be made an owner")
        member.role = None
        _step(actor, member, Status.OWNER, Action.ROLE_CHANGED, "made an owner")
    elif status == Status.ACCEPTED and member.status == Status.OWNER:
        require_owner([member])
        member.role = role or role_of_former_owners()
        _step(actor, member, Status.ACCEPTED, Action.ROLE_CHANGED, "no owner any more")
    elif status == Status.ACCEPTED:
        _expect(member, Status.BLOCKED, "MemberNotBlocked_400", "only a blocked member can be let in again")
        _step(actor, member, Status.ACCEPTED, Action.UNBLOCKED)
    else:
        raise NamedError("InvalidMemberStatus_400", "one of accepted, blocked, owner", field="status")


def _expect(member: Member, status: str, error: str, rule: str) -> None:
    if member.status != status:
        raise NamedError(error, f"{rule}; this one is {member.status}", field="status")


def _step(actor: Actor, member: Member, status: str, action: Action, detail: str = "") -> None:
    member.status = status
    record(action, [member], by=actor.member_id or None, detail=detail)


def _give_role(actor: Actor, member: Member, role: Role) -> None:
    if member.status == Status.OWNER:
        raise NamedError("BadRequest_400", "make the owner a member first (status accepted)", field="role")
    if member.status not in (Status.ACCEPTED, Status.BLOCKED, Status.INVITED):
        raise NamedError(
            "MemberNotAccepted_400",
            f"this membership is {member.status}; invite them again with the role",
            field="role",
        )
    before = member.role.name if member.role else "none"
    member.role = role
    record(Action.ROLE_CHANGED, [member], by=actor.member_id or None, detail=f"from {before}")


@transaction.atomic
def remove_members(*, actor: Actor, selection: BulkSelection, delete_keys: bool = False) -> Removal:
    """Remove the selected members, all or none, in any status.

    Their sessions in this company end at once. Their API keys stay (contract section 5) unless `delete_keys` is set.

    Raises MemberNotFound_404 if there are none, and BadRequest_400 for the last owner. Raises UnauthorizedAction_403
    for owners, for the actor, for members with more permissions, and for `delete_keys` without the permission to delete
    keys.
    """
    actor = reload_actor(actor)
    member_ids = selection.apply(Member.objects.all()).values("pk")
    # By id, the order of every lock of members, so that two bulk changes cannot deadlock.
    members = list(
        Member.objects.select_for_update(of=("self",), no_key=True)
        .select_related("role")
        .filter(pk__in=member_ids)
        .order_by("pk")
    )
    if not members:
        raise NamedError("MemberNotFound_404", "none of the selected members is one of this company")
    present = [member for member in members if member.status != Status.REMOVED]
    check_members(actor, present)
    _remove(present, by=actor.member_id or None)
    if delete_keys:
        _delete_keys(actor, members)
    return Removal([member.pk for member in members], len(present))


def remove_member(*, actor: Actor, id: str, delete_keys: bool = False) -> Removal:
    """Remove one member, under the rules of remove_members."""
    return remove_members(actor=actor, selection=BulkSelection(Q(pk=id)), delete_keys=delete_keys)


@transaction.atomic
def leave_company(*, user_id: str, member_id: str) -> None:
    """End the user's own membership, with any role.

    Raises MemberNotFound_404, and BadRequest_400 for the last owner.
    """
    with company_scope(company_of(user_id=user_id, member_id=member_id)):
        lock_company()
        member = lock_member(member_id)
        if member.user_id != user_id or member.status == Status.REMOVED:
            raise not_found()
        _remove([member], by=member.pk, detail="left")


def _remove(members: Sequence[Member], *, by: str | None, detail: str = "") -> None:
    require_owner(members)
    Member.objects.filter(pk__in=[member.pk for member in members]).update(
        status=Status.REMOVED, invite_nonce="", invite_expires_at=None, updated_at=timezone.now()
    )
    for member in members:
        member.status = Status.REMOVED
    record(Action.REMOVED, members, by=by, detail=detail)
    members_removed.send([member.pk for member in members])


@transaction.atomic
def transfer_ownership(*, actor: Actor, id: str, role_id: str | None = None) -> Member:
    """Make the member an owner in place of the actor, who becomes accepted with the given role or Admin.

    Raises MemberNotFound_404, UnauthorizedAction_403 unless the actor (of a key: its member) is an owner,
    MemberNotAccepted_400, RoleNotFound_404.
    """
    actor = reload_actor(actor)
    heir = lock_member(id)
    # Read under the lock: the actor may have lost the ownership since the request began.
    owner = Member.objects.select_for_update(no_key=True).filter(pk=actor.member_id, status=Status.OWNER).first()
    if owner is None:
        raise NamedError("UnauthorizedAction_403", "only an owner hands the ownership over")
    _expect(heir, Status.ACCEPTED, "MemberNotAccepted_400", "only an accepted member can be given the ownership")
    owner.role = find_role(role_id) if role_id else role_of_former_owners()
    owner.status = Status.ACCEPTED
    heir.status = Status.OWNER
    heir.role = None
    for member in (owner, heir):
        member.save(update_fields=["status", "role", "updated_at"])
    record(Action.OWNERSHIP_TRANSFERRED, [heir], by=owner.pk, detail=f"from {owner.email}")
    record(Action.ROLE_CHANGED, [owner], by=owner.pk, detail="no owner any more")
    return heir


def role_of_former_owners() -> Role:
    """Return the role Admin, or the default role if the company no longer has an Admin."""
    return Role.objects.filter(name__iexact=ADMIN).first() or find_role(None)


def lock_member(id: str) -> Member:
    """Return the member with its role, locked until the transaction ends. Raises MemberNotFound_404."""
    locked = Member.objects.select_for_update(of=("self",), no_key=True).select_related("role")
    member: Member | None = locked.filter(pk=id).first()
    if member is None:
        raise not_found()
    return member


def company_of(*, user_id: str, member_id: str) -> str:
    """Return the company of the user's membership. Raises MemberNotFound_404."""
    with unscoped(reason="memberships: a person's own, in whatever company"):
        own = Member.objects.filter(pk=member_id, user_id=user_id)
        company: str | None = own.values_list("company_id", flat=True).first()
    if company is None:
        raise not_found()
    return company


def not_found() -> NamedError:
    """Return the error for an id without a membership in the company or of the user."""
    return NamedError("MemberNotFound_404", "there is no such membership", field="id")
