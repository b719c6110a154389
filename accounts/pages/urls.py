"""Addresses of the pages, included at the root."""

from __future__ import annotations

from django.urls import path

from accounts.pages import invite, session, views

app_name = "pages"
urlpatterns = [
    path("", session.Root.as_view(), name="root"),
    path("login", session.Login.as_view(), name="login"),
    path("logout", session.Logout.as_view(), name="logout"),
    path("register", views.Register.as_view(), name="register"),
    path("verify-email", views.VerifyEmail.as_view(), name="verify-email"),
    path("resend-verification", views.ResendVerification.as_view(), name="resend-verification"),
    path("forgot-password", views.ForgotPassword.as_view(), name="forgot-password"),
    path("reset-password", views.ResetPassword.as_view(), name="reset-password"),
    path("invite", invite.InvitePage.as_view(), name="invite"),
    path("invite/decline", invite.DeclineInvite.as_view(), name="decline-invite"),
]
