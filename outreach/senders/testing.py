"""Turns of connection tests.

A test answers in its request, so that it holds a web thread for as long as the mail server is silent. One test of a
company runs in a process at a time, two of all companies, and none longer than TIMEOUTS.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import NamedError
from core.tenancy import company_id
from outreach.smtp.transport import Timeouts

TIMEOUTS = Timeouts(connect=8, command=8, total=8)
AT_ONCE = 2
"""Fewer than a web process has threads."""
BUSY = "ConnectionTestRunning_429"

_lock = threading.Lock()
_running: set[str] = set()


@contextmanager
def turn() -> Iterator[None]:
    """Hold one of the turns for the active company. Raises ConnectionTestRunning_429 when there is none."""
    company = company_id()
    with _lock:
        if company in _running or len(_running) >= AT_ONCE:
            raise NamedError(BUSY, "test one sender at a time; try again in some seconds", retry_after=8)
        _running.add(company)
    try:
        yield
    finally:
        with _lock:
            _running.discard(company)
