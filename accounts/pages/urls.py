"""Addresses of the pages, included at the root."""

from __future__ import annotations

from django.urls import path

from accounts.pages import invite, views

app_name = "pages"
urlpatterns = [
    path("register", views.Register.as_view(), name="register"),
    path("verify-email", views.VerifyEmail.as_view(), name="verify-email"),
    path("resend-verification", views.ResendVerification.as_view(), name="resend-verification"),
    path("forgot-password", views.ForgotPassword.as_view(), name="forgot-password"),
    path("reset-password", views.ResetPassword.as_view(), name="reset-password"),
    path("invite", invite.InvitePage.as_view(), name="invite"),
    path("invite/decline", invite.DeclineInvite.as_view(), name="decline-invite"),
]
