"""Processes that hang for a while, as on a machine that swaps: SIGSTOP, then SIGCONT."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import psutil
from django.db import connection

LONGEST = 5.0


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process and all that it has started, for the block."""
    family = psutil.Process(pid)
    family.send_signal(signal.SIGSTOP)  # first: it starts no others then
    processes = [family, *family.children(recursive=True)]
    for process in processes[1:]:
        with suppress(psutil.Error):
            process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(processes):
            with suppress(psutil.Error):
                process.send_signal(signal.SIGCONT)


def hang(pid: int) -> None:
    """Stop a process, if it is there, for 0.7 s on average."""
    with suppress(psutil.NoSuchProcess), stopped(pid):
        time.sleep(min(random.expovariate(1.5), LONGEST))


def hang_one(pids: Sequence[int]) -> None:
    """Let one of the processes hang, every second time."""
    if pids and random.random() < 0.5:
        hang(random.choice(pids))


def hang_postgresql() -> None:
    """Let the server of the test's database hang, with all of its processes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    server = psutil.Process(backend).parent()
    assert server is not None
    hang(server.pid)
