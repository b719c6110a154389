"""Answers whose time tells nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep

from django.conf import settings


@contextmanager
def unhurried(seconds: float) -> Iterator[None]:
    """Leave the block, or the decorated function, no sooner than `seconds` after its beginning, however it is left.

    For what an account's existence adds to the work (a query, a mail, a commit), which takes much less. Hashing stays outside: it takes as
    long as the machine is busy, and is made equal by doing it once in each case.
    """
    until = monotonic() + seconds
    try:
        yield
    finally:
        if settings.EVEN_ANSWERS:
            sleep(max(0.0, until - monotonic()))
