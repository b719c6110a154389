"""Addresses of the webhooks of social apps, and the tokens and signatures that authenticate the platform."""

from __future__ import annotations

from django.conf import settings
from django.utils.crypto import constant_time_compare

from core.crypto import lookup_hash
from outreach.connections.mail_vendors.hooks import hook_token
from outreach.connections.social_apps.models import SocialAApp

MAX_BYTES = 1 << 20


def hook_url(app_id: str, salt: str) -> str:
    """Return the address to enter at the platform."""
    return f"{settings.BASE_URL.rstrip('/')}/hooks/social-a/{app_id}/{hook_token(app_id, salt)}"


def verify_token(app_id: str, salt: str) -> str:
    """Return the token that the platform repeats when the address is entered there."""
    return lookup_hash(f"social-hook-verify:{app_id}:{salt}")[:32]


def is_verify_token(token: str, app: SocialAApp) -> bool:
    """Return whether the platform repeats the app's token. The comparison takes constant time."""
    return constant_time_compare(token, verify_token(app.pk, app.hook_salt))
