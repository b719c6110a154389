"""Addresses of accounts."""

from __future__ import annotations

from accounts.api_keys import views as api_key_views
from accounts.auth import password_views, registration_views, session_views
from accounts.companies import views as company_views
from accounts.members import invite_views
from accounts.members import views as member_views
from accounts.places import views as place_views
from accounts.profile import views as profile_views
from accounts.programs import partner_views, refer_views
from accounts.request_log import views as log_views
from accounts.roles import views as role_views
from accounts.settings import views as settings_views
from core.api.router import Route
from core.api.routers import ResourceRouter

PROTECTED_VIEWS = [
    Route("company", company_views.CompanyProfile),
    Route("settings", settings_views.Settings),
    Route("role", role_views.Roles),
    Route("role/<str:id>", role_views.RoleDetail),
    Route("member", member_views.Members),
    Route("member/<str:id>", member_views.MemberDetail),
    Route("member/<str:id>/resend", member_views.MemberResend),
    Route("member/<str:id>/transfer-ownership", member_views.MemberOwnership),
    Route("logs", log_views.ServerLogs),
    Route("logs/invite", invite_views.InviteLogs),
    Route("logs/login", log_views.LoginLogs),
]

PRIVATE_VIEWS = [
    Route("company", company_views.NewCompany),
    Route("country-state-city", place_views.CountryStateCity),
    Route("timezones", place_views.TimezoneList),
    Route("change-password", password_views.ChangePasswordView),
    Route("invites", invite_views.Invites),
    Route("invite/<str:id>", invite_views.InviteDetail),
    Route("memberships", invite_views.Memberships),
    Route("memberships/<str:id>", invite_views.MembershipOne),
    Route("partner-program", partner_views.PartnerProgramView),
    Route("partner-program/referrals", partner_views.PartnerProgramReferrals),
    Route("partner-program/request", partner_views.PartnerProgramRequest),
    Route("refer-program", refer_views.ReferProgramView),
    Route("refer-program/referrals", refer_views.ReferProgramReferrals),
]

PUBLIC_VIEWS = [
    Route("register", registration_views.RegisterView),
    Route("verify-email", registration_views.VerifyEmailView),
    Route("resend-verification", registration_views.ResendVerificationView),
    Route("login", session_views.LoginView),
    Route("refresh", session_views.RefreshView),
    Route("logout", session_views.LogoutView),
    Route("forgot-password", password_views.ForgotPasswordView),
    Route("reset-password", password_views.ResetPasswordView),
    Route("invite", invite_views.PublicInvite),
    Route("accept-invite", invite_views.PublicInviteAccept),
    Route("decline-invite", invite_views.PublicInviteDecline),
]


def register_protected(router: ResourceRouter) -> None:
    router.register("api", api_key_views.ApiKeyViewSet)
    router.add(*PROTECTED_VIEWS)


def register_private(router: ResourceRouter) -> None:
    router.register("profile", profile_views.ProfileViewSet)
    router.add(*PRIVATE_VIEWS)


def register_public(router: ResourceRouter) -> None:
    router.add(*PUBLIC_VIEWS)
