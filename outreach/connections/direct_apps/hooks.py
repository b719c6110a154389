"""Addresses of the webhooks of messenger apps and social accounts, and the secrets that authenticate their requests."""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import constant_time_compare

from core.crypto import lookup_hash
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.mail_vendors.hooks import hook_token

SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  the name of a header


def hook_url(vendor: str, app_id: str, salt: str) -> str:
    """Return the address of an app's webhook."""
    return f"{settings.BASE_URL.rstrip('/')}/hooks/{vendor}/{app_id}/{hook_token(app_id, salt)}"


def hook_secret(app_id: str, salt: str) -> str:
    """Return the secret that the messenger sends in a header with each webhook event.

    A social platform repeats it when the address is entered there.
    """
    return lookup_hash(f"direct-hook:{app_id}:{salt}")[:32]


def is_secret(secret: str, app: ChatApp) -> bool:
    """Return whether it is the app's secret. The comparison takes constant time."""
    return constant_time_compare(secret, hook_secret(app.pk, app.hook_salt))
