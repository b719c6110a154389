"""Responses whose duration reveals nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from django.conf import settings


@contextmanager
def minimum_duration(seconds: float) -> Iterator[None]:
    """Leave the block, or the decorated function, no sooner than `seconds` after its start, even by an exception.

    It covers the work that an existing account adds (a query, a mail, a commit), which takes much less. Hashing stays
    outside: its time depends on the load of the machine, so every case hashes once.
    """
    until = monotonic() + seconds
    try:
        yield
    finally:
        # Tests turn it off, or each of them would wait.
        if settings.EVEN_ANSWERS:
            sleep(max(0.0, until - monotonic()))
