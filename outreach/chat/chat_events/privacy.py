"""Personal data in the chat vendor's events."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from crm.privacy.registry import DataSubject, referring_rows, register_personal_data
from outreach.chat.chat_events.models import ChatEvent
from outreach.chat.conversations.channels import COMMENTS
from outreach.chat.conversations.models import Conversation
from outreach.chat.conversations.privacy import MODULE, number_condition
from outreach.connections.chat_apps.models import DIRECT


def blank_events(subject: DataSubject, rows: QuerySet[ChatEvent]) -> int:
    """Blank the number and the data. The applied state stays, so that it is not applied again."""
    return rows.update(phone="", data={}, error="")


def register_tables() -> None:
    """Register the personal data in events."""
    register_personal_data("chatEvents", ChatEvent, _events, blank_events, module=MODULE)


def _events(subject: DataSubject) -> Q:
    """Match the events of the person's number, or of the authors in the person's conversations without a number."""
    theirs = Conversation.objects.filter(referring_rows(Conversation, subject), channel__in=DIRECT)
    addresses = list(theirs.values_list("address", flat=True))
    authors = {address.split(":")[1] if address.startswith(COMMENTS) else address for address in addresses}
    return number_condition(subject, "phone") | Q(app__vendor__in=DIRECT, phone__in=authors)
