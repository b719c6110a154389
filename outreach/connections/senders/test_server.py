"""The test server: a mail server that stores all mails and relays none. The demo has one, which sample people need."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from crm.contacts.samples import is_sample
from outreach.connections.senders.models import Smtp

Address = tuple[str, int]


def _none() -> Address | None:
    return None


_find: Callable[[], Address | None] = _none


def set_test_server(find: Callable[[], Address | None]) -> None:
    """Register a function that returns host and port of the test server, or None while it does not run."""
    global _find
    _find = find


def test_server() -> Address | None:
    """Return host and port of the test server, or None without one."""
    return _find()


def may_reach(sender: object, recipient: str) -> bool:
    """Return whether the sender may mail the address: sample people are reached by the test server alone."""
    if not is_sample(recipient):
        return True
    return isinstance(sender, Smtp) and (sender.host, sender.port) == test_server()


def sample_addresses(addresses: Iterable[str]) -> set[str]:
    """Return those of the addresses that the service itself must not mail: none where a test server catches mails."""
    return set() if test_server() else {address for address in addresses if is_sample(address)}
