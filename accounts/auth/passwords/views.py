"""Endpoints of passwords."""

from __future__ import annotations

from django.db import transaction
from rest_framework.request import Request

from accounts.auth.passwords.serializers import PasswordChange, PasswordReset
from accounts.auth.passwords.services import change_password, forgot_password, reset_password
from accounts.auth.sessions import tokens
from accounts.auth.sessions.serializers import RenewedUser, Session, session_answer, token_fields, user_fields
from accounts.auth.sessions.services import sign_in
from accounts.auth.verification.serializers import AddressOnly
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject


class ForgotPasswordViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Ask for a new password",
        description="Sends a link to the address. The answer is the same where no user has it.",
        input=AddressOnly,
        success="PasswordResetRequested_200",
        limited=True,
    )
    def create(self, request: Request, data: JsonObject) -> None:
        forgot_password(**data, caller=caller_of(request))


class ResetPasswordViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Set a new password by the link of a mail",
        input=PasswordReset,
        output=Session,
        success="PasswordReset_200",
        limited=True,
        description="Ends every session of the user and begins one; verifies the address.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        caller = caller_of(request)
        user = reset_password(**data, caller=caller)
        return session_answer(user, sign_in(user=user, caller=caller, reason="set a new password"))


class PasswordViewSet(ResourceViewSet):
    private = True
    singleton = True

    @endpoint(
        "Change the password",
        input=PasswordChange,
        output=RenewedUser,
        success="PasswordChanged_200",
        errors=("InvalidPassword_400",),
        limited=True,
        description="Ends every session of the user, this one too; the answer carries the one that goes on.",
    )
    def update(self, request: Request, data: JsonObject) -> object:
        with transaction.atomic():
            user = change_password(
                user_id=self.actor.user_id,
                current=data["current_password"],
                new=data["new_password"],
                caller=caller_of(request),
            )
            issued = tokens.issue(user, caller=caller_of(request))
        return {**user_fields(user), **token_fields(issued)}
