"""Bodies and answers of invites and their log."""

from __future__ import annotations

from rest_framework import serializers

from accounts.auth.sessions.serializers import PasswordInput
from accounts.members.models import InviteLog
from accounts.snapshots.serializers import CompanySnapshot, MemberSnapshot, RoleSnapshot
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output


class InviteAnswer(Input):
    status = TextInput(max_length=40, required=False, help_text="accepted or rejected")


class InviteToken(Input):
    token = TextInput(max_length=1000, help_text="of the link in the mail")


class InviteAccept(InviteToken):
    name = TextInput(max_length=200, required=False, help_text="the name in the invite when left out")
    password = PasswordInput()


class InviteOut(Output):
    """The invite of a link."""

    company = CompanySnapshot()
    name = serializers.CharField()
    email = serializers.EmailField()
    role = RoleSnapshot()
    createdBy = MemberSnapshot(source="invited_by")
    expiresAt = serializers.DateTimeField(source="invite_expires_at")
    hasAccount = Computed(
        serializers.BooleanField(
            help_text="true: log in and answer by POST /api/private/invite/:id; false: a name and a password make the"
            " account"
        )
    )
    _id = IdField()


class InviteLogOut(Output):
    """A change of a membership."""

    _id = IdField()
    member = MemberSnapshot()
    email = serializers.EmailField()
    action = serializers.ChoiceField(choices=InviteLog.Action.values)
    actionBy = MemberSnapshot(source="action_by", help_text="who did it; null for the service and its staff")
    role = RoleSnapshot(help_text="the member's role after the change")
    detail = serializers.CharField()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
