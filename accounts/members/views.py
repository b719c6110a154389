"""Endpoints of a company's members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rest_framework.decorators import action
from rest_framework.request import Request

from accounts.api_keys.models import ApiKey
from accounts.api_keys.serializers import ApiKeyOut
from accounts.members.filters import MEMBER_FIELDS
from accounts.members.invites import invite_member, resend_invite
from accounts.members.models import Member
from accounts.members.serializers import (
    MemberChanged,
    MemberInvite,
    MemberOut,
    MemberRemove,
    MembersRemove,
    MembersRemoved,
    MemberUpdate,
    OwnershipTransfer,
)
from accounts.members.services import (
    Removal,
    not_found,
    remove_member,
    remove_members,
    transfer_ownership,
    update_member,
)
from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Output
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject

NO_MORE_THAN_ONES_OWN = (
    "Who is no owner gives no role, and changes nobody whose role, permits more than their own, nor owners, nor"
    " themselves."
)
KEYS = "The answer lists the API keys that they made; deleteKeys deletes these at once."
INVITE_ERRORS = ("RoleNotFound_404", "DefaultRoleNotFound_404", "PlanMaxUsers_400")


def _get_member(id: str) -> JsonObject:
    member = MemberOut.one(Member.objects.filter(pk=id))
    if member is None:
        raise not_found()
    return member


def _keys_of(member_ids: Sequence[str]) -> list[JsonObject]:
    """Return the API keys that the members made, as lists show them."""
    if not member_ids:
        return []
    rows = ApiKeyOut.project(ApiKey.objects.filter(created_by__in=member_ids).order_by("created_at", "pk"))
    return ApiKeyOut.complete([ApiKeyOut.render(row) for row in rows])


def _removal_data(removal: Removal) -> JsonObject:
    return {"deletedCount": removal.removed, "apiKeys": _keys_of(removal.members)}


class MemberViewSet(ResourceViewSet):
    module = "member"
    listing = Listing(
        "List members",
        Member.objects.all,
        MEMBER_FIELDS,
        MemberOut,
        description='Whatever their status; `filters` {"status": ["owner", "accepted"]} gives those who can work.',
    )

    @property
    def shown(self) -> type[Output]:
        return MemberChanged

    def stored(self, path: Mapping[str, str]) -> Any:
        """Return the member as PUT answers, which lists keys only of who is blocked by it."""
        record = super().stored(path)
        return None if record is None else {**record, "apiKeys": []}

    @endpoint(
        "Invite a member",
        input=MemberInvite,
        output=MemberOut,
        success="InviteSent_201",
        quota_module="member",
        limited=True,
        errors=("MemberAlredyExists_400", *INVITE_ERRORS),
        description="Mails a link that works for 7 days and takes a seat meanwhile. Who was removed, declined, or let"
        " an invite expire gets"
        f" the same membership again. {NO_MORE_THAN_ONES_OWN}",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        member = invite_member(
            actor=self.actor, email=data["email"], name=data.get("name", ""), role_id=data.get("role")
        )
        return _get_member(member.pk)

    @endpoint(
        "Remove members",
        input=MembersRemove,
        output=MembersRemoved,
        bulk=True,
        success="MembersRemoved_200",
        errors=("MemberNotFound_404", "BadRequest_400"),
        description="All of the selected ones or none; open invites are withdrawn. They stay in the list with the"
        f" status removed. {KEYS} The last owner stays. {NO_MORE_THAN_ONES_OWN}",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return _removal_data(
            remove_members(actor=self.actor, selection=self.selection(), delete_keys=data["delete_keys"])
        )

    @endpoint("Read a member", output=MemberOut, errors=("MemberNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return _get_member(id)

    @endpoint(
        "Update a member",
        input=MemberUpdate,
        output=MemberChanged,
        success="MemberUpdated_200",
        errors=(
            "MemberNotFound_404",
            "RoleOrPermissionRequired_400",
            "RoleNotFound_404",
            "InvalidMemberStatus_400",
            "MemberNotAccepted_400",
            "MemberNotBlocked_400",
            "BadRequest_400",
        ),
        description="status blocked: an accepted member, whose sessions here end at once; accepted: a blocked one, or"
        " an owner who is to"
        f" be none any more (the last one stays); owner: an accepted one, by an owner. {KEYS} {NO_MORE_THAN_ONES_OWN}",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        delete_keys = data.pop("delete_keys")
        member = update_member(actor=self.actor, id=id, values=data, delete_keys=delete_keys)
        blocked = [id] if data.get("status") == member.status == Member.Status.BLOCKED else []
        return {**_get_member(id), "apiKeys": _keys_of(blocked)}

    @endpoint(
        "Remove a member",
        input=MemberRemove,
        output=MembersRemoved,
        success="MemberRemoved_200",
        errors=("MemberNotFound_404", "BadRequest_400"),
        description="As DELETE /member. To leave a company oneself: DELETE /api/private/memberships/:id."
        f" {NO_MORE_THAN_ONES_OWN}",
    )
    def destroy(self, request: Request, id: str, data: JsonObject) -> object:
        return _removal_data(remove_member(actor=self.actor, id=id, delete_keys=data["delete_keys"]))

    @action(detail=True, methods=["post"])
    @endpoint(
        "Send an invite again",
        output=MemberOut,
        success="InviteResent_200",
        limited=True,
        errors=("MemberNotFound_404", "MemberNotInvited_400", *INVITE_ERRORS[1:]),
        description="An open or expired one, with a new link and a new term; the old link is dead.",
    )
    def resend(self, request: Request, id: str) -> object:
        resend_invite(actor=self.actor, id=id)
        return _get_member(id)

    @action(detail=True, methods=["post"], url_path="transfer-ownership")
    @endpoint(
        "Hand the ownership over",
        input=OwnershipTransfer,
        output=MemberOut,
        success="OwnershipTransferred_200",
        errors=("MemberNotFound_404", "MemberNotAccepted_400", "RoleNotFound_404", "UnauthorizedAction_403"),
        description="By an owner, to an accepted member; the former owner goes on as an accepted member.",
    )
    def transfer_ownership(self, request: Request, id: str, data: JsonObject) -> object:
        transfer_ownership(actor=self.actor, id=id, role_id=data.get("role"))
        return _get_member(id)
