"""Sample people are mailed by the test server alone (core.samples)."""

from __future__ import annotations

from collections.abc import Iterable

from core.samples import is_sample, test_server
from outreach.connections.senders.models import Smtp


def may_reach(sender: object, recipient: str) -> bool:
    """Return whether the sender may mail the address."""
    if not is_sample(recipient):
        return True
    return isinstance(sender, Smtp) and (sender.host, sender.port) == test_server()


def sample_addresses(addresses: Iterable[str]) -> set[str]:
    """Return those of the addresses that the service itself must not mail: none where a test server catches mails."""
    return set() if test_server() else {address for address in addresses if is_sample(address)}
