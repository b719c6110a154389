"""The public addresses of own forms."""

from __future__ import annotations

from django.conf import settings
from django.utils.html import format_html


def page_address(token: str) -> str:
    """Return the address of a form's public page."""
    return f"{settings.BASE_URL.rstrip('/')}/f/{token}"


def snippet(token: str, name: str) -> str:
    """Return the HTML that embeds a form on another site."""
    return format_html(
        '<iframe src="{}" title="{}" width="100%" height="640" loading="lazy"></iframe>', page_address(token), name
    )
