"""SPF (RFC 7208): whether a domain's record is valid, and whether it covers an address."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from outreach.messaging.deliverability.lookups import Lookups

# RFC 7208, 4.6.4: beyond these limits receivers answer permerror.
MAX_LOOKUPS = 10
MAX_VOID_LOOKUPS = 2
MAX_SERVERS = 10
"""The maximum number of MX names, or of addresses of one name, that a receiver checks."""
_RESULTS = {"+": "pass", "-": "fail", "~": "softfail", "?": "neutral"}
_TERM = re.compile(r"([+?~-]?)([a-z0-9]+)(?::([^/\s]*))?((?:/\d{1,3})?(?://\d{1,3})?)", re.IGNORECASE | re.ASCII)
_MODIFIER = re.compile(r"([a-z][a-z0-9_.-]*)=(.*)", re.IGNORECASE | re.ASCII)
_NAMES = frozenset({"all", "ip4", "ip6", "a", "mx", "ptr", "exists", "include"})

IP = ipaddress.IPv4Address | ipaddress.IPv6Address


class SpfInvalid(Exception):
    """A record that receivers take for an error; people read the text."""


def is_spf(text: str) -> bool:
    """Return whether a TXT record is one of SPF."""
    return text.lower() == "v=spf1" or text.lower().startswith("v=spf1 ")


@dataclass
class Spf:
    """One evaluation of a domain's record, as a receiver does it for a message from `ip`.

    Without an address nothing but `all` matches, so that it goes through the whole record and counts all look-ups.
    """

    lookups: Lookups
    ip: IP | None = None
    count: int = 0
    voids: int = 0
    included: set[str] = field(default_factory=set)

    def evaluate(self, domain: str) -> str:
        """Return pass, fail, softfail, neutral, or none without a record. Raises SpfInvalid and LookupFailed."""
        records = [text for text in self.lookups.texts(domain) if is_spf(text)]
        if not records:
            return "none"
        # RFC 7208, 4.5: several records are an error, and not a choice.
        if len(records) > 1:
            raise SpfInvalid(f"{domain} has {len(records)} SPF records, and receivers accept one.")
        redirect = ""
        for sign, name, value, lengths in _terms(records[0]):
            if name == "redirect":
                redirect = value
            elif self._matches(name, value or domain, lengths):
                return _RESULTS[sign]
        # RFC 7208, 4.7: without a match and a redirect the result is neutral.
        if not redirect:
            return "neutral"
        # RFC 7208, 6.1: redirect counts as a look-up, and counts only where no mechanism has matched.
        self._look_up()
        outcome = self.evaluate(redirect)
        if outcome == "none":
            raise SpfInvalid(f"It leads to {redirect}, which has no SPF record.")
        return outcome

    def _matches(self, name: str, value: str, lengths: str) -> bool:
        if name == "all":
            return True
        if name in ("ip4", "ip6"):
            return self.ip is not None and self.ip in _network(name, value + lengths)
        self._look_up()
        if "%" in value or name == "ptr":  # macros name the message, which there is none of; ptr is not to be used
            return False
        if name == "include":
            self.included.add(value.lower().rstrip("."))
            outcome = self.evaluate(value)
            # RFC 7208, 5.2: an include of nothing is an error, unlike an include that does not match.
            if outcome == "none":
                raise SpfInvalid(f"It includes {value}, which has no SPF record.")
            return outcome == "pass"
        if name == "exists":
            return bool(self._count_voids(self.lookups.addresses(value)))
        hosts = [value] if name == "a" else self._count_voids(self.lookups.exchanges(value))
        if len(hosts) > MAX_SERVERS:
            raise SpfInvalid(f"mx:{value} names more than {MAX_SERVERS} servers.")
        networks = [network for host in hosts for network in self._networks(host, lengths)]
        return self.ip is not None and any(self.ip in network for network in networks)

    def _networks(self, host: str, lengths: str) -> Iterator[ipaddress.IPv4Network | ipaddress.IPv6Network]:
        four, _slashes, six = lengths.partition("//")
        for address in self._count_voids(self.lookups.addresses(host))[:MAX_SERVERS]:
            length = six if ":" in address else four.strip("/")
            yield _network("ip6" if ":" in address else "ip4", f"{address}/{length}" if length else address)

    def _look_up(self) -> None:
        self.count += 1
        if self.count > MAX_LOOKUPS:
            raise SpfInvalid(f"It takes more than {MAX_LOOKUPS} look-ups, and receivers stop there.")

    def _count_voids(self, answers: list[str]) -> list[str]:
        self.voids += not answers
        if self.voids > MAX_VOID_LOOKUPS:
            raise SpfInvalid(f"More than {MAX_VOID_LOOKUPS} of its names do not exist.")
        return answers


def _network(name: str, value: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.IPv4Network(value, strict=False) if name == "ip4" else ipaddress.IPv6Network(value, False)
    except ValueError:
        raise SpfInvalid(f"{name}:{value[:60]} is no address.") from None


def _terms(record: str) -> Iterator[tuple[str, str, str, str]]:
    """Split a record into (qualifier, name, value, prefix lengths). Raises SpfInvalid for an invalid term."""
    terms = []
    for word in record.split()[1:]:
        modifier = _MODIFIER.fullmatch(word)
        if modifier is None:
            terms.append(_mechanism(word))
        elif modifier[1].lower() == "redirect":
            terms.append(("+", "redirect", modifier[2], ""))  # others say nothing about the result
    return iter(terms)


def _mechanism(word: str) -> tuple[str, str, str, str]:
    term = _TERM.fullmatch(word)
    name = term[2].lower() if term else ""
    if term is None or name not in _NAMES or (name in ("include", "exists") and not term[3]):
        raise SpfInvalid(f"“{word[:60]}” is nothing that SPF knows.")
    value, lengths = term[3] or "", term[4] or ""
    if name in ("ip4", "ip6"):
        # Checked here, since receivers read the whole record before they evaluate any of it.
        _network(name, value + lengths)
    return term[1] or "+", name, value, lengths
