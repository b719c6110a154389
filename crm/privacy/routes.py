"""Addresses of access requests and erasure."""

from __future__ import annotations

from core.api.router import Route
from crm.privacy import views as privacy_views

PRIVACY_ROUTES = [
    Route("contact/<str:id>/access-request", privacy_views.AccessRequest),
    Route("contact/<str:id>/erase", privacy_views.Erasure),
]
