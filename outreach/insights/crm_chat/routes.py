"""Addresses of the assistant."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.insights.crm_chat.views import AgentViewSet, CrmChatViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("ai-crm-chat", CrmChatViewSet)
    router.register("agent", AgentViewSet)
