"""Addresses of the log, sending hours and the unsubscribe page."""

from __future__ import annotations

from functools import cache

from core.api.routers import ResourceRouter
from outreach.messaging.delivery.settings.views import GenieSettingsViewSet
from outreach.messaging.delivery.unsubscribing.views import UnsubscribeViewSet
from outreach.messaging.delivery.views import VENDOR_LOGS, ChatLogViewSet, SmtpLogViewSet, guardrail_viewsets

_guardrails = cache(guardrail_viewsets)


def register_protected(router: ResourceRouter) -> None:
    router.register("genie/settings", GenieSettingsViewSet)
    router.register("logs/smtp", SmtpLogViewSet)
    router.register("logs/chatapp", ChatLogViewSet)
    for channel, viewset in VENDOR_LOGS.items():
        router.register(f"logs/{channel}", viewset)
    for path, viewset in _guardrails().items():
        router.register(path, viewset)


def register_public(router: ResourceRouter) -> None:
    router.register("unsubscribe/<str:token>", UnsubscribeViewSet)
