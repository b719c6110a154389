"""Reads of the suppression list."""

from __future__ import annotations

from collections.abc import Iterable

from outreach.messaging.suppression.models import Suppression


def suppressed_addresses(addresses: Iterable[str | None]) -> set[str]:
    """Return those of the addresses that are suppressed, in lower case."""
    emails = {address.lower() for address in addresses if address}
    return set(Suppression.objects.filter(email__in=emails).values_list("email", flat=True)) if emails else set()
