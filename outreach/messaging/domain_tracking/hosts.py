"""The hosts that links of mails lead to: the company's own one where it is verified, else the service's."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache

from core.tenancy import unscoped
from outreach.messaging.domain_tracking.models import DomainTracking

PROBE = "/.well-known/leadwright-tracking"
"""Path that a check requests from a host, to verify that it leads here."""
# Nothing else is served there: a log-in page under a customer's name would be of use to nobody but phishers.
SERVED = re.compile(r"/c/[\w-]{34}|/o/[\w-]{34}\.gif|/api/public/unsubscribe/[^/]+|/static/.+", re.ASCII)
"""Paths that a tracking host serves; the page of unsubscribing takes its styles from /static."""
_HOST = re.compile(r"(?=.{4,253}\Z)(?!-)[a-z0-9-]{1,63}(?:\.(?!-)[a-z0-9-]{1,63})+", re.ASCII)
# Each request to a foreign host asks for it, and short enough that a change is soon seen.
_KNOWN_FOR = 30
"""Seconds for which a process caches the data of a host."""


def own_host() -> str:
    """Return the service's host, which tracking hosts point to."""
    return settings.TRACKING_HOST or urlsplit(settings.BASE_URL).hostname or ""


def is_name(host: str) -> bool:
    """Return whether the text is the full name of a host, and no IP address."""
    return _HOST.fullmatch(host) is not None and not host.rpartition(".")[2].isdigit()


def address_of(host: str) -> str:
    """Return the base address of one of our hosts: BASE_URL with another host name."""
    base = urlsplit(settings.BASE_URL)
    return f"{base.scheme}://{host}{f':{base.port}' if base.port else ''}"


def base_for(from_email: str) -> str:
    """Return the base address of links in the active company's mails from an address: of its verified host, that of the
    address's domain first, else of the service."""
    names = DomainTracking.objects.filter(state=DomainTracking.State.VERIFIED).order_by("created_at", "pk")
    hosts = list(names.values_list("name", flat=True)[:100])
    if not hosts:
        return str(settings.BASE_URL)
    domain = from_email.rpartition("@")[2].lower()
    # The oldest host, so that links of all senders without one of their own lead to the same place.
    return address_of(next((host for host in hosts if f".{host}".endswith(f".{domain}")), hosts[0]))


def state_of(host: str) -> str:
    """Return "verified" or "known" for a tracking host of any company, "" for none."""
    # Unknown hosts are cached too, since scanners ask for many.
    return str(cache.get_or_set(_key(host), lambda: _state_of(host), _KNOWN_FOR))


def forget(host: str) -> None:
    """Delete the cached host; other processes refresh it within half a minute."""
    cache.delete(_key(host))


def _key(host: str) -> str:
    return f"tracking-host:{host}"


def _state_of(host: str) -> str:
    if not is_name(host):
        return ""
    with unscoped(reason="a request to a host of some company"):
        states = set(DomainTracking.objects.filter(name=host).values_list("state", flat=True))
    if DomainTracking.State.VERIFIED in states:
        return "verified"
    return "known" if states else ""
