"""Bodies and answers of sessions."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from accounts.auth.sessions.devices import device_of
from accounts.auth.sessions.tokens import Tokens
from accounts.snapshots.serializers import CompanySnapshot
from accounts.users.memberships import SEATED
from accounts.users.models import User
from core.api.input import Input, TextInput
from core.api.output import Computed, IdField, Output
from core.ids import time_of
from core.tenancy import unscoped
from core.types import JsonObject, Values


class PasswordInput(TextInput):
    """A password as it was typed, blanks included."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 1000, "trim_whitespace": False, **options})


class Login(Input):
    email = TextInput(max_length=254)
    password = PasswordInput()


class Refresh(Input):
    refreshToken = TextInput(max_length=1000)


class SessionUser(Output):
    """The user of a session."""

    _id = IdField()
    name = serializers.CharField()
    email = serializers.EmailField()
    emailVerifiedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()


class Membership(Output):
    """A company that the user may act for, by sending the _id as authmember."""

    _id = IdField()
    status = serializers.ChoiceField(choices=[status.value for status in SEATED])
    company = CompanySnapshot()


class Session(Output):
    """A session: the access token goes into Authorization, a membership's _id into authmember."""

    token = Computed(serializers.CharField(help_text="JWT, valid for expiresIn seconds"))
    refreshToken = Computed(serializers.CharField(help_text="for POST /api/public/refresh; each one works once"))
    expiresIn = Computed(serializers.IntegerField())
    user = Computed(SessionUser())
    memberships = Computed(Membership(many=True))


class OpenSession(Output):
    """An open session: a browser's, or a program's."""

    reads = ("created_at", "last_used_at")
    _id = IdField(source="family")
    device = Computed(serializers.CharField(help_text="the browser and system that userAgent names, in words"))
    userAgent = serializers.CharField()
    ip = serializers.CharField(allow_null=True, help_text="where it was begun or renewed last")
    isCurrent = Computed(serializers.BooleanField(help_text="the session of this request"))
    createdAt = Computed(serializers.DateTimeField(help_text="the log-in"))
    lastUsedAt = Computed(
        serializers.DateTimeField(help_text="to 15 minutes in a browser; else when its tokens were renewed last")
    )
    expiresAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        last_use = max(filter(None, (row["created_at"], row["last_used_at"])))
        return {
            **data,
            "device": device_of(data["userAgent"]),
            "createdAt": time_of(data["_id"]),
            "lastUsedAt": last_use,
        }


class EndedSessions(Output):
    """Number of sessions that were ended."""

    endedCount = Computed(serializers.IntegerField())


class RenewedUser(SessionUser):
    """A user whose sessions have ended, with the remaining one."""

    token = Computed(serializers.CharField(help_text="JWT, valid for expiresIn seconds"))
    refreshToken = Computed(serializers.CharField(help_text="for POST /api/public/refresh; each one works once"))
    expiresIn = Computed(serializers.IntegerField())


def session_answer(user: User, issued: Tokens) -> JsonObject:
    """Return the session with which a login answers."""
    with unscoped(reason="login: the memberships of one user in all companies"):
        rows = Membership.project(user.memberships.filter(status__in=SEATED).order_by("created_at", "pk"))
        memberships = [Membership.render(row) for row in rows]
    return {**token_fields(issued), "user": user_fields(user), "memberships": memberships}


def user_fields(user: User) -> JsonObject:
    """Render the user as SessionUser, from the record at hand."""
    return SessionUser.render(vars(user))


def token_fields(issued: Tokens) -> JsonObject:
    """Return the tokens by the names that answers use."""
    return {"token": issued.access, "refreshToken": issued.refresh, "expiresIn": issued.expires_in}
