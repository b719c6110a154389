"""Import and other workers that hang, and are killed, at random moments, for the chaos tests of each import type."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from crm.models import Import
from tests.kit.cast import Cast
from tests.kit.processes import Forked
from tests.kit.stops import hang_one

BATCH = 50
SECONDS = 900
FORKS = """
import os, signal, sys, time, django
django.setup()
from django.conf import settings
import core.jobs.notify
core.jobs.notify._publish = lambda work, **_: None
name, *pairs = sys.argv[1:]
for pair in pairs:
    key, _, value = pair.partition("=")
    setattr(settings, key, int(value))
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in sys.stdin:
    child = os.fork()
    if child:
        print(child, flush=True)
        continue
    parent = os.getppid()
    while os.getppid() == parent:
        core.jobs.sweep()
        core.jobs.WORK[name].drain(time.monotonic() + 0.5)
        time.sleep(0.01)
    os._exit(0)
"""


class Workers:
    """A process that forks workers with settings of their own."""

    def __init__(self, work: str, sizes: dict[str, int]) -> None:
        self.process = Forked(FORKS, work, *(f"{name}={size}" for name, size in sizes.items()))
        self.pids: list[int] = []

    def spawn(self) -> None:
        self.process.stdin.write("one\n")
        self.pids.append(int(self.process.stdout.readline()))

    def kill_all(self) -> None:
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.pids.clear()

    def hang_and_kill_all(self) -> None:
        """Kill all, every second time after one of them has hung for a while and worked on."""
        hang_one(self.pids)
        self.kill_all()


@contextmanager
def running(work: str = "import", **sizes: int) -> Iterator[Workers]:
    """Run a worker of a kind of work, with settings that make its batches small."""
    workers = Workers(work, sizes or {"IMPORT_BATCH_ROWS": BATCH})
    try:
        workers.spawn()
        yield workers
    finally:
        workers.kill_all()
        workers.process.stdin.close()
        workers.process.wait(20)
        workers.process.stdout.close()


def progress(cast: Cast, job_id: str) -> tuple[str, int]:
    with cast.scope():
        return Import.objects.values_list("status", "processed").get(pk=job_id)


def kill_over_the_import(workers: Workers, cast: Cast, job_id: str, rows: int, kills: int, end: float) -> None:
    """Kill at random moments, spread over the whole import."""
    for number in range(kills):
        goal = rows * (number + random.random()) / (kills + 1)
        while (seen := progress(cast, job_id))[1] < goal:
            assert time.monotonic() < end, seen
            assert seen[0] in ("queued", "running"), seen
            time.sleep(0.002)
        time.sleep(random.uniform(0, 0.1))
        workers.hang_and_kill_all()
        workers.spawn()
