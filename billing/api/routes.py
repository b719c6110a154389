"""Addresses of billing."""

from __future__ import annotations

from billing.api import plan_views
from core.api.router import Route

PROTECTED = [
    Route("plans", plan_views.Plans),
    Route("plans/<str:id>", plan_views.PlanDetail),
]

PRIVATE = [Route("currencies", plan_views.Currencies)]
