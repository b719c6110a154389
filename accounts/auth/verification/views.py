"""The public endpoints that verify an email address."""

from __future__ import annotations

from rest_framework.request import Request

from accounts.auth.sessions.serializers import Session, session_answer
from accounts.auth.sessions.services import sign_in
from accounts.auth.verification.serializers import AddressOnly, MailedLink
from accounts.auth.verification.services import resend_verification, verify_email
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject


class VerifyEmailViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Verify an email address",
        description="Takes the token of the mailed link and begins a session.",
        input=MailedLink,
        output=Session,
        success="EmailVerified_200",
        limited=True,
    )
    def create(self, request: Request, data: JsonObject) -> object:
        caller = caller_of(request)
        user = verify_email(**data, caller=caller)
        return session_answer(user, sign_in(user=user, caller=caller, reason="verified the address"))


class ResendVerificationViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Send the verification mail again",
        description="Sends a link to the address. The answer is the same where there is nothing to verify.",
        input=AddressOnly,
        success="VerificationRequested_200",
        limited=True,
    )
    def create(self, request: Request, data: JsonObject) -> None:
        resend_verification(**data, caller=caller_of(request))
