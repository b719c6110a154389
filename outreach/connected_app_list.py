"""The apps that companies can connect: a new one is a line here."""

from __future__ import annotations

from outreach.connections.ai.providers import ai_a, ai_b, offline
from outreach.connections.chat_apps import connected_app as chat_apps
from outreach.connections.connected_apps.registry import register_app
from outreach.connections.direct_apps import connected_app as direct_apps
from outreach.connections.mail_vendors import connected_app as mail_vendors
from outreach.connections.ocr import connected_app as ocr
from outreach.connections.senders import connected_app as senders
from outreach.connections.social_apps import connected_app as social_apps
from outreach.connections.storage import connected_app as storage
from outreach.messaging.inbox import connected_app as inbox
from outreach.prospecting.enrichment import connected_app as enrichment
from outreach.prospecting.lead_sources import connected_app as lead_sources

APPS = (
    senders.SMTP,
    *mail_vendors.mail_apps(),
    chat_apps.CHATAPP,
    inbox.IMAP,
    ai_a.AI_A,
    ai_b.AI_B,
    offline.AI_OFFLINE,
    lead_sources.LEAD_SOURCE,
    enrichment.ENRICH,
    storage.BUCKET,
    ocr.OCR,
    social_apps.SOCIAL_A,
    direct_apps.SOCIAL_ACCOUNT,
    direct_apps.MESSENGER,
)


def register_apps() -> None:
    """Register the apps, when Django is ready."""
    for app in APPS:
        register_app(app)
