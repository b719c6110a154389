"""Addresses of outreach."""

from __future__ import annotations

from core.api.routers import ResourceRouter
from crm.exports.routes import register_list_exports
from outreach.chat.chat_templates import routes as chat_templates
from outreach.chat.chatbots import routes as chatbots
from outreach.chat.conversations import routes as conversations
from outreach.chat.widgets import routes as widgets
from outreach.connections.ai import routes as ai
from outreach.connections.calendars import routes as calendars
from outreach.connections.connected_apps import routes as connected_apps
from outreach.connections.mail_vendors import routes as mail_vendors
from outreach.connections.ocr import routes as ocr
from outreach.connections.social_apps import routes as social_apps
from outreach.insights.crm_chat import routes as crm_chat
from outreach.insights.reports import routes as reports
from outreach.messaging.deliverability import routes as deliverability
from outreach.messaging.delivery import routes as delivery
from outreach.messaging.domain_tracking import routes as domain_tracking
from outreach.messaging.email_templates import routes as email_templates
from outreach.messaging.inbox import routes as inbox
from outreach.messaging.personal_mail import routes as personal_mail
from outreach.messaging.suppression import routes as suppression
from outreach.prospecting.enrichment import routes as enrichment
from outreach.prospecting.lead_generation import routes as lead_generation
from outreach.runs.campaigns import routes as campaigns
from outreach.runs.genie import routes as genie
from outreach.site.booking import routes as booking
from outreach.site.forms import routes as forms
from outreach.site.white_label import routes as white_label


def register_protected(router: ResourceRouter) -> None:
    domains = (
        ai,
        connected_apps,
        suppression,
        deliverability,
        delivery,
        inbox,
        email_templates,
        personal_mail,
        enrichment,
        genie,
    )
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
