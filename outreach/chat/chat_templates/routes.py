"""Addresses of chat templates."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.chat.chat_templates.views import ChatTemplateViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("template/chatapp", ChatTemplateViewSet)
