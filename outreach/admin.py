"""Back office pages of outreach; each domain has its own."""

from outreach.ai import admin as ai
from outreach.booking import admin as booking
from outreach.calendars import admin as calendars
from outreach.campaigns import admin as campaigns
from outreach.chat_apps import admin as chat_apps
from outreach.chat_events import admin as chat_events
from outreach.chatbots import admin as chatbots
from outreach.conversations import admin as conversations
from outreach.crm_chat import admin as crm_chat
from outreach.data_apps import admin as data_apps
from outreach.deliverability import admin as deliverability
from outreach.delivery import admin as delivery
from outreach.direct_apps import admin as direct_apps
from outreach.domain_tracking import admin as domain_tracking
from outreach.email_templates import admin as email_templates
from outreach.enrichment import admin as enrichment
from outreach.forms import admin as forms
from outreach.genie import admin as genie
from outreach.inbox import admin as inbox
from outreach.lead_generation import admin as lead_generation
from outreach.mail_events import admin as mail_events
from outreach.mail_vendors import admin as mail_vendors
from outreach.ocr import admin as ocr
from outreach.reports import admin as reports
from outreach.senders import admin as senders
from outreach.social_apps import admin as social_apps
from outreach.storage import admin as storage
from outreach.suppression import admin as suppression
from outreach.white_label import admin as white_label
from outreach.widgets import admin as widgets

__all__ = [
    "ai",
    "booking",
    "calendars",
    "campaigns",
    "chat_apps",
    "chat_events",
    "chatbots",
    "conversations",
    "crm_chat",
    "data_apps",
    "deliverability",
    "delivery",
    "direct_apps",
    "domain_tracking",
    "email_templates",
    "enrichment",
    "forms",
    "genie",
    "inbox",
    "lead_generation",
    "mail_events",
    "mail_vendors",
    "ocr",
    "reports",
    "senders",
    "social_apps",
    "storage",
    "suppression",
    "white_label",
    "widgets",
]
