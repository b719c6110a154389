"""Validation of texts as addresses that mail can be sent to."""

from __future__ import annotations

import re

ADDRESS = r"^[^[:space:]<>@,;:\\\"()]+@[^[:space:]<>@,;:\\\"()]+\.[^[:space:]<>@,;:\\\"().]+$"
"""A sendable address, as a regular expression of PostgreSQL. Addresses are checked in full when they are stored."""
_ADDRESS = re.compile(ADDRESS.replace("[:space:]", r"\s"))


def is_address(value: str | None) -> bool:
    """Return whether mail can be sent to the address: the check of ADDRESS, in Python."""
    return value is not None and _ADDRESS.match(value) is not None
