"""Where a request comes from."""

from __future__ import annotations

import ipaddress
from typing import Any

from django.conf import settings


def address_of(request: Any) -> str | None:
    """The caller's IP address. X-Forwarded-For counts only as far as proxies of ours have written it (settings.TRUSTED_PROXIES)."""
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
    trusted = settings.TRUSTED_PROXIES
    found = hops[-trusted] if 0 < trusted <= len(hops) else request.META.get("REMOTE_ADDR", "")
    try:
        return str(ipaddress.ip_address(found))
    except ValueError:
        return None


def user_agent_of(request: Any) -> str:
    """The caller's program as it calls itself, at most 300 characters."""
    text = str(request.META.get("HTTP_USER_AGENT", ""))
    return "".join(character for character in text if character.isprintable())[:300]
