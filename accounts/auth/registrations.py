"""The registrations of authentication."""

from __future__ import annotations

from datetime import timedelta

from accounts.auth import openapi  # noqa: F401  (describes the authentication paths in the schema)
from accounts.auth.passwords.views import ForgotPasswordViewSet, PasswordViewSet, ResetPasswordViewSet
from accounts.auth.sessions.browser_sessions import purge_browser_sessions
from accounts.auth.sessions.services import purge_refresh_tokens
from accounts.auth.sessions.views import LoginViewSet, LogoutViewSet, RefreshViewSet, SessionViewSet
from accounts.auth.staff import sessions  # noqa: F401  (ends staff's sessions)
from accounts.auth.staff.second_factor import gate
from accounts.auth.verification.views import ResendVerificationViewSet, VerifyEmailViewSet
from core.api.routes import private, public
from core.backoffice.site import page_requested
from core.jobs import PeriodicTask, register

private.register("change-password", PasswordViewSet)
private.register("sessions", SessionViewSet)
public.register("verify-email", VerifyEmailViewSet)
public.register("resend-verification", ResendVerificationViewSet)
public.register("login", LoginViewSet)
public.register("refresh", RefreshViewSet)
public.register("logout", LogoutViewSet)
public.register("forgot-password", ForgotPasswordViewSet)
public.register("reset-password", ResetPasswordViewSet)
register(PeriodicTask("refresh-tokens", purge_refresh_tokens, every=timedelta(hours=1)))
register(PeriodicTask("browser-sessions", purge_browser_sessions, every=timedelta(hours=1)))
page_requested.connect(gate)
