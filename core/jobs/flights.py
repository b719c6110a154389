"""Concurrent calls to other hosts, which continue after the drain that began them releases its worker.

A queue drains several kinds of work. A drain that waited for its slowest call would delay the calls to all other
servers.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Generic, TypeVar

from django.db import connections

from core.database import retry_until_available

log = logging.getLogger(__name__)

CALL_SECONDS = 2.0
"""Seconds that a drain of calls keeps its worker before other kinds run."""
MAX_THREADS = 64
C = TypeVar("C")
R = TypeVar("R")
_all: list[Flights[Any, Any]] = []


class Flights(Generic[C, R]):
    """The pending calls of one kind. `make(call)` runs one in a thread; `end(call, result)` records its result.

    The draining thread ends them while it has the worker; afterwards their own threads do.
    """

    def __init__(self, name: str, make: Callable[[C], R], end: Callable[[C, R], None]) -> None:
        self.name = name
        self.make = make
        self.end = end
        self._out: dict[Future[R], C] = {}
        self._pool: ThreadPoolExecutor | None = None
        _all.append(self)

    def __len__(self) -> int:
        return len(self._out)

    @property
    def calls(self) -> list[C]:
        return list(self._out.values())

    def begin(self, call: C) -> None:
        """Let a thread run a call. The caller limits its pending calls to less than MAX_THREADS."""
        if self._pool is None:  # of this process: its parent, from which it was forked, has made no calls
            self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix=self.name)
        self._out[self._pool.submit(self._make, call)] = call

    def land(self, seconds: float) -> None:
        """Wait for calls to finish, at most so long, and collect the finished ones."""
        for future in wait(list(self._out), timeout=seconds, return_when=FIRST_COMPLETED).done:
            self._end(future)

    def release(self) -> None:
        """Leave it to the threads to end the calls that are still out."""
        thread = threading.get_ident()

        def end(future: Future[R]) -> None:
            try:
                self._end(future)
            except Exception:  # the edge of one call: what was not recorded is still out for its rows
                log.exception("the result of a call (%s) could not be recorded", self.name)
            finally:
                if threading.get_ident() != thread:
                    connections.close_all()

        for future in list(self._out):
            future.add_done_callback(end)

    def _make(self, call: C) -> R:
        try:
            return self.make(call)
        finally:
            connections.close_all()

    def _end(self, future: Future[R]) -> None:
        call = self._out.pop(future, None)
        if call is not None:  # else another thread was first
            result = future.result()
            retry_until_available(lambda: self.end(call, result))


def has_open_calls() -> bool:
    """Return whether calls of this process are out."""
    return any(len(flights) for flights in _all)


def wait_for_all(seconds: float) -> None:
    """Wait until the calls of this process have ended, before it does."""
    futures = [future for flights in _all for future in list(flights._out)]
    for flights in _all:
        flights.release()
    wait(futures, timeout=seconds)
    for flights in _all:
        if flights._pool is not None:
            flights._pool.shutdown(wait=len(flights) == 0)
