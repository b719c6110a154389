"""Addresses of accounts."""

from __future__ import annotations

from accounts.api import api_key_views, public_views
from core.api.router import Route

PROTECTED = [
    Route("api", api_key_views.ApiKeys),
    Route("api/<str:id>", api_key_views.ApiKeyDetail),
]

PRIVATE: list[Route] = []

PUBLIC = [
    Route("login", public_views.LoginView),
    Route("refresh", public_views.RefreshView),
    Route("logout", public_views.LogoutView),
]
