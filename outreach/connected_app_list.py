"""The apps that companies can connect: a new one is a line here."""

from __future__ import annotations

from outreach.ai.providers import offline
from outreach.connected_apps.registry import register_app
from outreach.senders import connected_app as senders

APPS = (
    senders.SMTP,
    offline.AI_OFFLINE,
)


def register_apps() -> None:
    """Register the apps, when Django is ready."""
    for app in APPS:
        register_app(app)
