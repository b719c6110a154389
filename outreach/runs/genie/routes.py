"""Addresses of outreach runs and their messages."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.runs.genie.review.lead_views import LeadMessagesViewSet
from outreach.runs.genie.review.message_views import SendJobViewSet
from outreach.runs.genie.views import RunViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("genie/send-jobs", SendJobViewSet)
    router.register("genie", RunViewSet)
    router.register("genie/leads", LeadMessagesViewSet)
