"""Origins: which websites a widget works on."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

import idna

from core.errors import ValidationFailed, shorten

MAX_ORIGINS = 20
_HOST = re.compile(r"(?=.{1,253}\Z)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*", re.ASCII)
_PORTS = {"http": 80, "https": 443}


def read_origin(text: str) -> str:
    """Return an origin as browsers send it: https://shop.example.com, with a port unless it is the default.

    Raises ValidationFailed for an invalid origin. A path is left out.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
        ascii_host = _ascii(host)
    except (ValueError, idna.IDNAError):
        ascii_host = ""
    if not ascii_host or parts.scheme not in _PORTS or parts.username is not None:
        raise ValidationFailed(
            "allowedOrigins: no origin",
            f"enter addresses such as https://www.example.com, not {shorten(text, 60)!r}",
            field="allowedOrigins",
        )
    # Browsers leave the default port out of Origin (RFC 6454, 6.1).
    return f"{parts.scheme}://{ascii_host}{f':{port}' if port and port != _PORTS[parts.scheme] else ''}"


def _ascii(host: str) -> str:
    if ":" in host:
        return f"[{ipaddress.IPv6Address(host)}]"
    if not host.isascii():
        # Browsers send hosts in ASCII and lower case.
        host = idna.encode(host, uts46=True).decode("ascii")
    host = host.lower()
    return host if _HOST.fullmatch(host) else ""


def read_origins(texts: list[str]) -> list[str]:
    """Return origins without duplicates, in their order. Raises ValidationFailed."""
    return list(dict.fromkeys(read_origin(text) for text in texts))
