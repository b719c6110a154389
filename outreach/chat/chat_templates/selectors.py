"""Reads of templates of all kinds."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from outreach.connections.chat_apps.models import ChatTemplate
from outreach.messaging.email_templates.models import EmailTemplate


def kept_templates() -> QuerySet[Any]:
    """Return the ids of the templates that count against the plan: those of mails, and those of chat messages."""
    return EmailTemplate.objects.values("pk").union(ChatTemplate.objects.values("pk"), all=True)
