"""The public endpoints of registration."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.auth.registration import register, resend_verification, verify_email
from accounts.auth.registration_serializers import AddressOnly, MailedLink, Registered, Registration
from accounts.auth.session_serializers import Session, session_answer
from accounts.auth.sessions import sign_in
from core.access.callers import caller_of
from core.api.endpoint import endpoint
from core.api.viewsets import ResourceViewSet


class RegistrationViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Register",
        input=Registration,
        output=Registered,
        success="UserRegistered_201",
        errors=("InvalidTimezone_400",),
        limited=True,
        description="A user with a company of their own. The answer is the same for an address that has an account; its owner gets a mail.",
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        register(**data, caller=caller_of(request))
        return {"email": data["email"].lower()}


class VerifyEmailViewSet(ResourceViewSet):
    public = True

    @endpoint("Verify an e-mail address", input=MailedLink, output=Session, success="EmailVerified_200", limited=True)
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        caller = caller_of(request)
        user = verify_email(**data, caller=caller)
        return session_answer(user, sign_in(user=user, caller=caller, reason="verified the address"))


class ResendVerificationViewSet(ResourceViewSet):
    public = True

    @endpoint(
        "Send the verification mail again",
        input=AddressOnly,
        success="VerificationRequested_200",
        limited=True,
    )
    def create(self, request: Request, data: dict[str, Any]) -> Any:
        resend_verification(**data, caller=caller_of(request))
