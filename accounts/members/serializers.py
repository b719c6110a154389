"""Bodies and answers of members and memberships."""

from __future__ import annotations

from rest_framework import serializers

from accounts.api_keys.serializers import ApiKeyOut
from accounts.members.models import Member
from accounts.roles.permissions import complete
from accounts.roles.serializers import PermissionField
from accounts.snapshots.serializers import CompanySnapshot, MemberSnapshot, RoleSnapshot, UserSnapshot
from core.api.addresses import EmailInput
from core.api.input import BooleanInput, Input, NameInput, ObjectIdInput, TextInput
from core.api.output import Computed, Deleted, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values

DELETE_KEYS = "true: the API keys that they made are deleted, too; it takes the permission api.DELETE"
STATUSES = "accepted: back from blocked, or an owner no more; blocked; owner"


class MemberInvite(Input):
    email = EmailInput(max_length=254)
    name = NameInput(max_length=200, allow_blank=True, required=False)
    role = ObjectIdInput(required=False, help_text="_id of the role; the default role when left out")


class MemberUpdate(Input):
    name = NameInput(max_length=200, allow_blank=True, required=False)
    role = ObjectIdInput(required=False, help_text="_id of the role")
    status = TextInput(max_length=40, required=False, help_text=STATUSES)
    deleteKeys = BooleanInput(default=False, help_text=f"{DELETE_KEYS}; only with the status blocked")


class MemberRemove(Input):
    deleteKeys = BooleanInput(default=False, help_text=DELETE_KEYS)


class MembersRemove(SelectionInput):
    deleteKeys = BooleanInput(default=False, help_text=DELETE_KEYS)


class OwnershipTransfer(Input):
    role = ObjectIdInput(required=False, help_text="_id of the former owner's role; Admin when left out")


class MembershipOut(Output):
    """A membership as its own person sees it."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()
    status = serializers.ChoiceField(choices=Member.Status.values)
    company = CompanySnapshot()
    role = RoleSnapshot(help_text="null for owners")
    createdBy = MemberSnapshot(source="invited_by", help_text="who sent the invite; null for who founded the company")
    invitedAt = serializers.DateTimeField(allow_null=True)
    inviteExpiresAt = serializers.DateTimeField(allow_null=True)
    acceptedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class MemberOut(Output):
    """A member as the company sees it."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()
    status = serializers.ChoiceField(choices=Member.Status.values)
    role = RoleSnapshot(help_text="null for owners")
    user = UserSnapshot(help_text="the account; null until an invite is accepted")
    createdBy = MemberSnapshot(source="invited_by", help_text="who sent the invite; null for who founded the company")
    invitedAt = serializers.DateTimeField(allow_null=True)
    inviteExpiresAt = serializers.DateTimeField(allow_null=True)
    acceptedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class MemberChanged(MemberOut):
    apiKeys = Computed(ApiKeyOut(many=True, help_text="of who is blocked now: the keys that they made; otherwise none"))


class MembersRemoved(Deleted):
    apiKeys = Computed(
        ApiKeyOut(many=True, help_text="the keys that the removed members made and that are still there")
    )


class RoleWithPermission(RoleSnapshot):
    """A role with its permissions."""

    description = serializers.CharField()
    permission = PermissionField()


class MembershipDetail(MembershipOut):
    role = RoleWithPermission(help_text="null for owners, who may do everything")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        if data["role"] is not None:
            data["role"]["permission"] = complete(data["role"]["permission"])
        return data
