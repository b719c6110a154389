"""Limits for requests that wait for a third-party server: connection tests, samples by a model.

Such a request occupies a web thread until the server answers. So a process runs one of a company at a time, and two of
all companies. The caller bounds the time of each.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import NamedError
from core.tenancy import company_id

MAX_COMPANIES = 2
"""Fewer than a web process has threads."""
BUSY = "ConnectionTestRunning_429"

_lock = threading.Lock()
_running: set[str] = set()


@contextmanager
def connection_test_slot() -> Iterator[None]:
    """Take one of the slots for the active company. Raises ConnectionTestRunning_429 if none is free."""
    company = company_id()
    with _lock:
        if company in _running or len(_running) >= MAX_COMPANIES:
            raise NamedError(BUSY, "test one app at a time; try again in some seconds", retry_after=8)
        _running.add(company)
    try:
        yield
    finally:
        with _lock:
            _running.discard(company)
