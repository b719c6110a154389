"""Addresses of accounts."""

from __future__ import annotations

from accounts.api import api_key_views, partner_views, password_views, refer_views, registration_views, session_views
from core.api.router import Route

PROTECTED = [
    Route("api", api_key_views.ApiKeys),
    Route("api/<str:id>", api_key_views.ApiKeyDetail),
]

PRIVATE = [
    Route("change-password", password_views.ChangePasswordView),
    Route("partner-program", partner_views.PartnerProgramView),
    Route("partner-program/referrals", partner_views.PartnerProgramReferrals),
    Route("partner-program/request", partner_views.PartnerProgramRequest),
    Route("refer-program", refer_views.ReferProgramView),
    Route("refer-program/referrals", refer_views.ReferProgramReferrals),
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
