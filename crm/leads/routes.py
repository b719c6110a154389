"""Addresses of leads."""

from __future__ import annotations

from core.api.router import Route
from crm.leads import views as lead_views

LEAD_ROUTES = [
    Route("lead", lead_views.Leads),
    Route("lead/bulk", lead_views.LeadBulk),
    Route("lead/<str:id>", lead_views.LeadDetail),
]
