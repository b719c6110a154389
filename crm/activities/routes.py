"""Addresses of lead activities, follow-ups and call logs."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.activities.call_views import CallLogViewSet
from crm.activities.follow_up_views import FollowUpViewSet
from crm.activities.views import LeadActivityViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("lead-activity", LeadActivityViewSet)
    router.register("lead-activity/follow-up", FollowUpViewSet)
    router.register("calllog", CallLogViewSet)
