"""Addresses of accounts."""

from __future__ import annotations

from accounts.api import views
from core.api.router import Route

PROTECTED = [Route("api", views.ApiKeys), Route("api/<str:id>", views.ApiKeyDetail)]

PRIVATE: list[Route] = []

PUBLIC = [Route("login", views.LoginView), Route("refresh", views.RefreshView), Route("logout", views.LogoutView)]
