"""The origin of a request: its IP address and user agent."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.conf import settings


@dataclass(frozen=True)
class Caller:
    """The origin of a request, for services that log it or limit by it."""

    ip: str | None = None
    user_agent: str = ""

    @property
    def network(self) -> str:
        """The network that attempts are counted by: the address, or for IPv6 its /64, which one customer has."""
        return _network(self.ip) if self.ip else "unknown"


def caller_of(request: Any) -> Caller:
    """Return the request's caller."""
    return Caller(address_of(request), user_agent_of(request))


def address_of(request: Any) -> str | None:
    """Return the caller's IP address.

    It trusts X-Forwarded-For only as far as our own proxies have written it (settings.TRUSTED_PROXIES).
    """
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
    trusted = settings.TRUSTED_PROXIES
    # Count from the right, where our own proxies append: clients can forge everything to the left.
    text = hops[-trusted] if 0 < trusted <= len(hops) else request.META.get("REMOTE_ADDR", "")
    return _address(text)


# Each request asks several times, and most come from few addresses.


@lru_cache(maxsize=1024)
def _address(text: str) -> str | None:
    try:
        return str(ipaddress.ip_address(text))
    # A forged or broken header counts as unknown, instead of being a value of its own for each attempt.
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def _network(ip: str) -> str:
    address = ipaddress.ip_address(ip)
    if isinstance(address, ipaddress.IPv6Address):
        return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))
    return ip


def is_within(address: str | None, networks: Iterable[str]) -> bool:
    """Return whether an IP address is one of the networks, or in one of them."""
    if address is None:
        return False
    ip = ipaddress.ip_address(address)
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return any(ip in ipaddress.ip_network(network) for network in networks)


def user_agent_of(request: Any) -> str:
    """Return the caller's User-Agent header, at most 300 characters."""
    text = str(request.META.get("HTTP_USER_AGENT", ""))
    return (text if text.isprintable() else "".join(character for character in text if character.isprintable()))[:300]
