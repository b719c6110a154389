"""Addresses of sessions, passwords and the verification of addresses."""

from __future__ import annotations

from accounts.auth.passwords.views import ForgotPasswordViewSet, PasswordViewSet, ResetPasswordViewSet
from accounts.auth.sessions.views import LoginViewSet, LogoutViewSet, RefreshViewSet, SessionViewSet
from accounts.auth.verification.views import ResendVerificationViewSet, VerifyEmailViewSet
from core.api.routers import ResourceRouter


def register_private(router: ResourceRouter) -> None:
    router.register("change-password", PasswordViewSet)
    router.register("sessions", SessionViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("verify-email", VerifyEmailViewSet)
    router.register("resend-verification", ResendVerificationViewSet)
    router.register("login", LoginViewSet)
    router.register("refresh", RefreshViewSet)
    router.register("logout", LogoutViewSet)
    router.register("forgot-password", ForgotPasswordViewSet)
    router.register("reset-password", ResetPasswordViewSet)
