"""Addresses of the log, sending hours and the unsubscribe page."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.delivery.settings_views import GenieSettingsViewSet
from outreach.delivery.unsubscribe_views import UnsubscribeViewSet
from outreach.delivery.views import VENDOR_LOGS, SmtpLogViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("genie/settings", GenieSettingsViewSet)
    router.register("logs/smtp", SmtpLogViewSet)
    for channel, viewset in VENDOR_LOGS.items():
        router.register(f"logs/{channel}", viewset)


def register_public(router: ResourceRouter) -> None:
    router.register("unsubscribe/<str:token>", UnsubscribeViewSet)
