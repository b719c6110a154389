"""Servers that hang: SIGSTOP, and SIGCONT."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psutil


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process and all that it has started, for the block."""
    family = psutil.Process(pid)
    family.send_signal(signal.SIGSTOP)  # first: it starts no others then
    stopped_ones = [family, *family.children(recursive=True)]
    for process in stopped_ones[1:]:
        with suppress(psutil.Error):
            process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(stopped_ones):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)
