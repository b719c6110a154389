"""The tables of outreach with personal data; each domain declares its own."""

from __future__ import annotations

from outreach.chat.chat_events import privacy as chat_events
from outreach.chat.conversations import privacy as conversations
from outreach.chat.widgets import privacy as widgets
from outreach.connections.calendars import privacy as calendars
from outreach.connections.mail_vendors import privacy as mail_vendors
from outreach.connections.ocr import privacy as ocr
from outreach.connections.senders import privacy as senders
from outreach.insights.crm_chat import privacy as crm_chat
from outreach.messaging.delivery import privacy as delivery
from outreach.messaging.inbox import privacy as inbox
from outreach.messaging.mail_events import privacy as mail_events
from outreach.messaging.personal_mail import privacy as personal_mail
from outreach.messaging.suppression import privacy as suppression
from outreach.prospecting.enrichment import privacy as enrichment
from outreach.prospecting.lead_generation import privacy as lead_generation
from outreach.site.booking import privacy as booking
from outreach.site.forms import privacy as forms


def register_personal_data_tables() -> None:
    """Register the tables of all domains, when Django is ready."""
    for domain in (
        widgets,
        booking,
        calendars,
        chat_events,
        conversations,
        crm_chat,
        delivery,
        enrichment,
        forms,
        inbox,
        lead_generation,
        mail_events,
        mail_vendors,
        ocr,
        personal_mail,
        senders,
        suppression,
    ):
        domain.register_tables()
