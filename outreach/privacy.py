"""The tables of outreach with personal data; each domain declares its own."""

from __future__ import annotations

from outreach.booking import privacy as booking
from outreach.calendars import privacy as calendars
from outreach.chat_events import privacy as chat_events
from outreach.conversations import privacy as conversations
from outreach.crm_chat import privacy as crm_chat
from outreach.delivery import privacy as delivery
from outreach.enrichment import privacy as enrichment
from outreach.forms import privacy as forms
from outreach.inbox import privacy as inbox
from outreach.lead_generation import privacy as lead_generation
from outreach.mail_events import privacy as mail_events
from outreach.mail_vendors import privacy as mail_vendors
from outreach.ocr import privacy as ocr
from outreach.senders import privacy as senders
from outreach.suppression import privacy as suppression
from outreach.widgets import privacy as widgets


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
        senders,
        suppression,
    ):
        domain.register_tables()
