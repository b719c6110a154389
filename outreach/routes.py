"""Addresses of outreach."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.exports.routes import register_list_exports
from outreach.ai import routes as ai
from outreach.booking import routes as booking
from outreach.calendars import routes as calendars
from outreach.campaigns import routes as campaigns
from outreach.chat_templates import routes as chat_templates
from outreach.chatbots import routes as chatbots
from outreach.connected_apps import routes as connected_apps
from outreach.conversations import routes as conversations
from outreach.crm_chat import routes as crm_chat
from outreach.deliverability import routes as deliverability
from outreach.delivery import routes as delivery
from outreach.domain_tracking import routes as domain_tracking
from outreach.email_templates import routes as email_templates
from outreach.enrichment import routes as enrichment
from outreach.forms import routes as forms
from outreach.genie import routes as genie
from outreach.inbox import routes as inbox
from outreach.lead_generation import routes as lead_generation
from outreach.mail_vendors import routes as mail_vendors
from outreach.ocr import routes as ocr
from outreach.reports import routes as reports
from outreach.social_apps import routes as social_apps
from outreach.suppression import routes as suppression
from outreach.white_label import routes as white_label
from outreach.widgets import routes as widgets


def register_protected(router: ResourceRouter) -> None:
    domains = (ai, connected_apps, suppression, deliverability, delivery, inbox, email_templates, enrichment, genie)
    chats = (chat_templates, conversations, chatbots, widgets)
    leads = (forms, social_apps, booking, calendars, crm_chat, white_label)
    for domain in (*domains, campaigns, domain_tracking, lead_generation, mail_vendors, ocr, reports, *chats, *leads):
        domain.register_protected(router)
    register_list_exports(router, "outreach")


def register_public(router: ResourceRouter) -> None:
    delivery.register_public(router)
    booking.register_public(router)
    forms.register_public(router)
    widgets.register_public(router)
