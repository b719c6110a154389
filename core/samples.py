"""Sample people, and the mail server that is the only one to reach them: it stores all mails and relays none."""

from __future__ import annotations

from collections.abc import Callable

Address = tuple[str, int]
DOMAIN = "sample.example"
"""The domain of sample people's addresses. RFC 2606 reserves its top level, so that it can never exist."""


def is_sample(address: str) -> bool:
    """Return whether an address is that of a sample person."""
    return address.lower().endswith(f"@{DOMAIN}")


def _no_test_server() -> Address | None:
    return None


_find: Callable[[], Address | None] = _no_test_server


def set_test_server(find: Callable[[], Address | None]) -> None:
    """Register a function that returns host and port of the test server, or None while it does not run."""
    global _find
    _find = find


def test_server() -> Address | None:
    """Return host and port of the test server, or None without one."""
    return _find()
