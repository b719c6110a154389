"""Look-ups in the domain name system, by the operator's resolvers alone. What they answer is data of strangers."""

from __future__ import annotations

import re
from time import monotonic
from typing import Protocol

import dns.exception
import dns.resolver
from django.conf import settings

LIFETIME = 5.0
"""Seconds for one question."""
# Answers come from strangers, and are kept and shown.
MAX_RECORDS = 50
MAX_CHARACTERS = 4096
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63}){0,30}", re.ASCII)


class LookupFailed(Exception):
    """No resolver answered in time; people read the text."""


class Lookups(Protocol):
    """Look-ups of the checks. Each returns an empty list if no such name or record exists, and raises LookupFailed."""

    def texts(self, name: str) -> list[str]: ...

    def exchanges(self, name: str) -> list[str]:
        """Return the mail servers, the preferred one first; "" is the null MX (RFC 7505)."""

    def addresses(self, name: str) -> list[str]:
        """Return the IPv4 and IPv6 addresses."""


class DnsLookups:
    """Look-ups with a deadline for all of them together. Each question is asked once."""

    def __init__(self, seconds: float) -> None:
        self._ends = monotonic() + seconds
        # Checks ask the same questions; within one check the answers should also agree.
        self._known: dict[tuple[str, str], list[str]] = {}
        self._resolver: dns.resolver.Resolver | None = None

    def texts(self, name: str) -> list[str]:
        return self._records(name, "TXT")

    def exchanges(self, name: str) -> list[str]:
        return self._records(name, "MX")

    def addresses(self, name: str) -> list[str]:
        return self._records(name, "A") + self._records(name, "AAAA")

    def alias(self, name: str) -> str:
        """Return the name that a CNAME record leads to; "" for none."""
        return next(iter(self._records(name, "CNAME")), "")

    def _records(self, name: str, kind: str) -> list[str]:
        name = name.rstrip(".").lower()
        if len(name) > 253 or not _NAME.fullmatch(name):
            # A name that cannot exist needs no question, and must not reach the resolver's logs.
            return []
        records = self._known.get((name, kind))
        if records is None:
            records = self._known[name, kind] = self._answer(name, kind)
        return records

    def _answer(self, name: str, kind: str) -> list[str]:
        left = self._ends - monotonic()
        if left <= 0:
            raise LookupFailed("The name servers took too long. Try again in some minutes.")
        try:
            self._resolver = self._resolver or _resolver()
            # The dot at the end keeps the resolver from adding the search domains of the machine.
            answer = self._resolver.resolve(f"{name}.", kind, lifetime=min(LIFETIME, left), search=False)
        # An answer, even if there is nothing: unlike a failure it may turn a light red.
        except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.resolver.YXDOMAIN):
            return []
        except (dns.exception.DNSException, OSError, ValueError):
            raise LookupFailed(f"The name servers did not answer for {name}. Try again in some minutes.") from None
        rows = list(answer)[:MAX_RECORDS]
        if kind == "TXT":
            # RFC 7208, 3.3, and RFC 6376, 3.6.2.2: strings of a record are joined without blanks.
            return [b"".join(row.strings).decode("utf-8", "replace")[:MAX_CHARACTERS] for row in rows]
        if kind == "MX":
            # The name decides between equal preferences, so that the shown order does not change with each
            # answer.
            rows.sort(key=lambda row: (row.preference, str(row.exchange)))
            return [str(row.exchange).rstrip(".").lower() for row in rows]
        if kind == "CNAME":
            return [str(row.target).rstrip(".").lower() for row in rows]
        return [str(row.address) for row in rows]


def _resolver() -> dns.resolver.Resolver:
    """Return a resolver of the setting DNS_RESOLVERS, or of the system where it is empty."""
    chosen = settings.DNS_RESOLVERS
    if not chosen:
        return dns.resolver.Resolver()
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers = [host for host, _port in chosen]
    # Tests and some operators run resolvers on other ports than 53.
    resolver.nameserver_ports = dict(chosen)
    return resolver
