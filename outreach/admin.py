"""Back office pages of outreach; each domain has its own."""

from outreach.chat.chat_events import admin as chat_events
from outreach.chat.chatbots import admin as chatbots
from outreach.chat.conversations import admin as conversations
from outreach.chat.widgets import admin as widgets
from outreach.connections.ai import admin as ai
from outreach.connections.calendars import admin as calendars
from outreach.connections.chat_apps import admin as chat_apps
from outreach.connections.data_apps import admin as data_apps
from outreach.connections.direct_apps import admin as direct_apps
from outreach.connections.mail_vendors import admin as mail_vendors
from outreach.connections.ocr import admin as ocr
from outreach.connections.senders import admin as senders
from outreach.connections.social_apps import admin as social_apps
from outreach.connections.storage import admin as storage
from outreach.insights.crm_chat import admin as crm_chat
from outreach.insights.reports import admin as reports
from outreach.messaging.deliverability import admin as deliverability
from outreach.messaging.delivery import admin as delivery
from outreach.messaging.domain_tracking import admin as domain_tracking
from outreach.messaging.email_templates import admin as email_templates
from outreach.messaging.inbox import admin as inbox
from outreach.messaging.mail_events import admin as mail_events
from outreach.messaging.personal_mail import admin as personal_mail
from outreach.messaging.suppression import admin as suppression
from outreach.prospecting.enrichment import admin as enrichment
from outreach.prospecting.lead_generation import admin as lead_generation
from outreach.runs.campaigns import admin as campaigns
from outreach.runs.genie import admin as genie
from outreach.site.booking import admin as booking
from outreach.site.forms import admin as forms
from outreach.site.white_label import admin as white_label

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
    "personal_mail",
    "reports",
    "senders",
    "social_apps",
    "storage",
    "suppression",
    "white_label",
    "widgets",
]
