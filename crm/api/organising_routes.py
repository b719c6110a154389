"""Addresses of what contacts and leads are organised by."""

from __future__ import annotations

from core.api.router import Route
from crm.api import team_views

ORGANISING_ROUTES = [
    Route("team", team_views.Teams),
    Route("team/<str:id>", team_views.TeamDetail),
]
