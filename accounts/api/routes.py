"""Addresses of accounts."""

from __future__ import annotations

from accounts.api import api_key_views, password_views, registration_views, session_views
from core.api.router import Route

PROTECTED = [
    Route("api", api_key_views.ApiKeys),
    Route("api/<str:id>", api_key_views.ApiKeyDetail),
]

PRIVATE = [
    Route("change-password", password_views.ChangePasswordView),
]

PUBLIC = [
    Route("register", registration_views.RegisterView),
    Route("verify-email", registration_views.VerifyEmailView),
    Route("resend-verification", registration_views.ResendVerificationView),
    Route("login", session_views.LoginView),
    Route("refresh", session_views.RefreshView),
    Route("logout", session_views.LogoutView),
    Route("forgot-password", password_views.ForgotPasswordView),
    Route("reset-password", password_views.ResetPasswordView),
]
