"""A circuit breaker: a server that has not answered is left alone for some seconds, so that few callers wait for it."""

from __future__ import annotations

import threading
from time import monotonic


class Breaker:
    """Returns whether to try a server. After a failure one caller tries in each `pause` seconds, until one succeeds."""

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._lock = threading.Lock()
        self._until: float | None = None

    def allows(self) -> bool:
        """Return whether the caller may try now. It must report the outcome by `record_success` or `record_failure`."""
        # Without the lock in the usual case: each request asks.
        if self._until is None:
            return True
        with self._lock:
            if self._until is not None and monotonic() < self._until:
                return False
            # One caller goes ahead to try; the others keep away until it has an answer.
            self._until = monotonic() + self._pause
            return True

    def record_failure(self) -> None:
        """Report that the server has not answered."""
        self._until = monotonic() + self._pause

    def record_success(self) -> None:
        """Report an answer: everybody may try again."""
        self._until = None


REDIS = Breaker(5.0)
"""Redis, of this process. Nothing that it holds is needed: the tick finds work, and attempts are counted here."""
