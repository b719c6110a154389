"""A process that has loaded Django and forks workers on request, so that killing a hundred of them costs no hundred
start-ups.

Reads "spawn" lines on stdin and answers each with the child's pid. A child sweeps, plans and sends until it is killed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time

import django

WORKS = ("follow-ups", "genie", "send")


def run() -> None:
    """Do what a Celery worker and the tick do, without a broker between them."""
    from core.jobs import WORK, sweep

    random.seed()
    while os.getppid() > 1:
        sweep()
        for name in WORKS:
            WORK[name].drain(time.monotonic() + 2)
        time.sleep(0.02)


def main() -> None:
    django.setup()
    import core.jobs.notify

    core.jobs.notify._publish = lambda work, **_: None
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        if line.strip() != "spawn":
            break
        child = os.fork()
        if child == 0:
            sys.stdin = open(os.devnull)  # noqa: SIM115
            run()
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    main()
