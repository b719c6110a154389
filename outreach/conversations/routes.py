"""Addresses of conversations."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.conversations.views import AnswerTimeViewSet, CannedAnswerViewSet, ConversationViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("conversation", ConversationViewSet)
    router.register("canned-answer", CannedAnswerViewSet)
    router.register("answer-time", AnswerTimeViewSet)
