"""Addresses of manual chatbots."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.chat.chatbots.views import ManualChatbotViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("manual-chatbot", ManualChatbotViewSet)
