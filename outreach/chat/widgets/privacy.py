"""Personal data of visitors of websites."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, referring_rows, register_personal_data
from outreach.chat.conversations.models import Conversation
from outreach.chat.conversations.privacy import number_condition
from outreach.chat.widgets.models import WidgetVisitor


def _visitors(subject: DataSubject) -> Q:
    condition = number_condition(subject, "phone")
    for address in subject.emails:
        condition |= Q(email__iexact=address)
    theirs = Conversation.objects.filter(referring_rows(Conversation, subject), channel=Conversation.Channel.WIDGET)
    return condition | Q(pk__in=theirs.values("address"))


def forget_visitors(subject: DataSubject, rows: QuerySet[WidgetVisitor]) -> int:
    """Delete them: their tokens are worth nothing from then on."""
    deleted, _ = rows.delete()
    return deleted


def register_tables() -> None:
    """Register the visitors. They come before conversations, whose address identifies them."""
    register_personal_data(
        "widgetVisitors", WidgetVisitor, _visitors, forget_visitors, module="chatapp", before="conversations"
    )
