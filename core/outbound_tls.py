"""TLS of connections to hosts that tenants name: the system's authorities, and those of OUTBOUND_CA_FILE."""

from __future__ import annotations

import ipaddress
import ssl
from functools import lru_cache
from pathlib import Path

from django.conf import settings


def client_context(*, verify: bool = True) -> ssl.SSLContext:
    """Return the context of a connection. Without `verify` it encrypts, and takes any certificate."""
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif settings.OUTBOUND_CA_FILE:
        context.load_verify_locations(cafile=settings.OUTBOUND_CA_FILE)
    return context


def own_authorities() -> str | None:
    """Return the certificates of OUTBOUND_CA_FILE; None without it."""
    return _content(settings.OUTBOUND_CA_FILE) if settings.OUTBOUND_CA_FILE else None


@lru_cache(maxsize=10)
def _content(path: str) -> str:
    return Path(path).read_text(encoding="ascii", errors="ignore")


def is_loopback(ip: str) -> bool:
    """Return whether an address is one of this machine, which no connection leaves."""
    address = ipaddress.ip_address(ip.partition("%")[0])
    # A dual-stack socket shows 127.0.0.1 as ::ffff:127.0.0.1.
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback
