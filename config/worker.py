"""The workers: python -m config.worker NAME runs one of GROUPS, with `-c N` in so many processes. No Django here.

One machine needs `main` and `ai`. On several machines the groups of PARTS may run by themselves, in place of `main`.
After SIGTERM a task may finish, within its slice (core.jobs.registry). A task that has not finished when the process is
killed continues in another one.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """The queues of a group of workers, and its default number of processes.

    `shares` limits queues to so many of the processes (core.jobs.shares).
    """

    queues: str
    processes: int
    holds: str
    options: tuple[str, ...] = ()
    shares: tuple[tuple[str, int], ...] = ()


PARTS = {
    "quick": Group("tick,send,workflows", min(4, os.cpu_count() or 1), "what must be quick"),
    "long": Group("import,bulk", 1, "imports, exports, changes of many"),
    # Its tasks last as long as there is something to send.
    "sender": Group("outreach", 2, "outreach"),
}
LIMITED = tuple((PARTS[name].queues, PARTS[name].processes) for name in ("long", "sender"))
GROUPS = {
    # One pool, since a worker of its own for each part takes 170 MB more. Shares keep processes for quick work. That of
    # workflows is limited as well: an import of thousands starts as many runs.
    "main": Group(
        ",".join(part.queues for part in PARTS.values()),
        sum(part.processes for part in PARTS.values()),
        "quick, long and sender together",
        shares=(("workflows", PARTS["quick"].processes), *LIMITED),
    ),
    # Threads, since they wait for others' servers, whose calls all have their time limits, more than they compute. It
    # runs the tick as well, in place of beat; several of them do no harm.
    "ai": Group(
        "ai",
        4,
        "what may wait for others' servers, for minutes: models, webhooks, calls of workflows; and the tick",
        ("-P", "threads", "--ticks"),
    ),
    **PARTS,
}


def worker_command(name: str, processes: int | None = None) -> tuple[str, ...]:
    """Return the command of a group's workers."""
    group = GROUPS[name]
    shares = (f"--share={queues}={limit}" for queues, limit in group.shares)
    return (
        *(sys.executable, "-m", "celery", "--quiet", "-A", "config", "worker"),
        *("-n", f"{name}@%h", "-Q", group.queues, "-c", str(processes or group.processes)),
        # PostgreSQL knows workers and work, so messages between workers over Redis would only cost time.
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
        "--watchdog",
        *group.options,
        *shares,
    )


def main_processes(quick: int) -> int:
    """Return the processes of `main` that leave so many to quick work at any time."""
    return quick + sum(limit for _, limit in LIMITED)


def main() -> None:
    """Become the workers of a group."""
    parser = argparse.ArgumentParser(prog="python -m config.worker", description="Run the workers of a group.")
    parser.add_argument(
        "group", choices=GROUPS, help="; ".join(f"{name}: {group.holds}" for name, group in GROUPS.items())
    )
    parser.add_argument(
        "-c", "--processes", type=int, help="how many processes, of ai threads; by default as make run has them"
    )
    parser.add_argument("-E", "--task-events", action="store_true", help="send Celery's events, which Flower reads")
    arguments = parser.parse_args()
    argv = (
        *worker_command(arguments.group, arguments.processes),
        *(["--task-events"] if arguments.task_events else []),
    )
    os.execv(argv[0], argv)  # noqa: S606  a fixed command


if __name__ == "__main__":
    main()
