"""Addresses of conversations."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from outreach.chat.conversations.canned_answers.views import CannedAnswerViewSet
from outreach.chat.conversations.views import AnswerTimeViewSet, ConversationViewSet


def register_protected(router: ResourceRouter) -> None:
    router.register("conversation", ConversationViewSet)
    router.register("canned-answer", CannedAnswerViewSet)
    router.register("answer-time", AnswerTimeViewSet)
