"""DMARC: the policy of a domain, found by the tree walk of its revision, which needs no list of public suffixes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from outreach.messaging.deliverability.dkim_records import tags_of
from outreach.messaging.deliverability.lookups import Lookups

POLICIES = ("none", "quarantine", "reject")
# The limit of the tree walk, so that a name of many labels causes no flood of queries.
_MAX_STEPS = 8


class DmarcInvalid(Exception):
    """A record that receivers ignore; people read the text."""

    def __init__(self, domain: str, detail: str) -> None:
        super().__init__(detail)
        self.domain = domain


@dataclass(frozen=True)
class Policy:
    """The treatment of messages that are not aligned. `domain` is that of the record."""

    domain: str
    record: str
    policy: str
    strict_spf: bool
    strict_dkim: bool


def find_policy(lookups: Lookups, domain: str) -> Policy | None:
    """Return the policy for mails from the domain: its own, else that of its organisational domain.

    Raises DmarcInvalid and LookupFailed.
    """
    for place in (domain, organisational_domain(lookups, domain)):
        records = _records(lookups, place)
        # Receivers then act as if there were none (RFC 7489, 6.6.3).
        if len(records) > 1:
            raise DmarcInvalid(place, f"{place} has {len(records)} DMARC records, and receivers accept one.")
        if records:
            return _policy(place, records[0], own=place == domain)
    return None


def organisational_domain(lookups: Lookups, domain: str) -> str:
    """Return the domain of the organisation: of the records on the way up the one with the shortest name.

    `psd=n` says that a domain is one, `psd=y` that the domain below it is one.
    """
    organisation, below = domain, domain
    for place in _way_up(domain):
        records = _records(lookups, place)
        if len(records) == 1:
            suffix = tags_of(records[0]).get("psd", "u").lower()
            if suffix == "n":
                return place
            if suffix == "y":
                return organisation if place == domain else below
            organisation = place
        below = place
    return organisation


def _way_up(domain: str) -> Iterator[str]:
    """Yield the domain and those above it, eight at most: of a long name the middle is passed over."""
    # The names above are what decides; the middle of a long name rarely has records.
    labels = domain.split(".")
    yield domain
    for length in range(min(len(labels) - 1, _MAX_STEPS - 1), 0, -1):
        yield ".".join(labels[-length:])


def _records(lookups: Lookups, domain: str) -> list[str]:
    texts = (text.strip() for text in lookups.texts(f"_dmarc.{domain}"))
    return [text for text in texts if text.partition(";")[0].replace(" ", "") == "v=DMARC1"]


def _policy(domain: str, record: str, *, own: bool) -> Policy:
    tags = tags_of(record)
    # A policy found above the domain is for its subdomains, for which sp may differ.
    policy = (tags.get("p") if own else tags.get("sp", tags.get("p"))) or "none"
    if policy.lower() not in POLICIES or "p" not in tags:
        raise DmarcInvalid(domain, f"The DMARC record of {domain} has no policy: p is none, quarantine or reject.")
    strict = {name: tags.get(name, "r").lower() == "s" for name in ("aspf", "adkim")}
    return Policy(domain, record, policy.lower(), strict["aspf"], strict["adkim"])
