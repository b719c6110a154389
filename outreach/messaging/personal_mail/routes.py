"""Addresses of members' mails to one person."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.messaging.personal_mail.views import PersonalMailViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("message", PersonalMailViewSet)
