"""Addresses that a company must not write to, which higher apps know of."""

from __future__ import annotations

from collections.abc import Iterable

from core.hooks import Hook

recipient_check: Hook[[Iterable[str]], set[str]] = Hook(
    __name__,
    "recipient_check",
    "Before mails to people outside of the company. Returns those of the addresses, in lower case, that the active"
    " company must not write to.",
)


def suppressed_recipients(addresses: Iterable[str]) -> set[str]:
    """Return which of the addresses the active company must not write to, in lower case."""
    candidates = list(addresses)
    return set[str]().union(*recipient_check.send(candidates)) if candidates else set()
