"""Addresses of messages, sending hours and the unsubscribe page."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.delivery.settings_views import GenieSettingsViewSet
from outreach.delivery.unsubscribe_views import UnsubscribeViewSet
from outreach.delivery.views import MessageViewSet, SmtpLogViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("genie/send-jobs", MessageViewSet)
    router.register("genie/settings", GenieSettingsViewSet)
    router.register("logs/smtp", SmtpLogViewSet)


def register_public(router: ResourceRouter) -> None:
    router.register("unsubscribe/<str:token>", UnsubscribeViewSet)
