"""Personal data in what the chat vendor has told."""

from __future__ import annotations

from django.db.models import QuerySet

from crm.privacy.registry import DataSubject, register_personal_data
from outreach.chat_events.models import ChatEvent
from outreach.conversations.privacy import MODULE, numbered


def blank_events(subject: DataSubject, rows: QuerySet[ChatEvent]) -> int:
    """Blank the number and what was told. That it was applied stays, so that it is not again."""
    return rows.update(phone="", data={}, error="")


def register_tables() -> None:
    """Register the personal data in events."""
    register_personal_data(
        "chatEvents", ChatEvent, lambda subject: numbered(subject, "phone"), blank_events, module=MODULE
    )
