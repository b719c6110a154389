"""What the supervisor runs: one table of programs, in the order in which they start."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from config.data_dir import PROJECT

MANAGE = (sys.executable, os.fspath(PROJECT / "manage.py"))

# Workers by purpose: what must be quick never waits behind what takes long.
QUICK_QUEUES = "tick,send"
LONG_QUEUES = "import,bulk"

# A web process has that many threads at most, each with a database connection of its own. Granian's backpressure stays at its default: it
# counts open connections, and a low one lets idle browsers keep everybody else out (measured: 12 idle ones and a limit of 8).
WEB_THREADS = min(8, 2 * (os.cpu_count() or 1) + 1)

# Celery warns of root at length, and again for each worker; the embedded servers have given root up where it matters.
CELERY = (
    sys.executable,
    "-W",
    "ignore:You're running the worker with superuser",
    "-m",
    "celery",
    "--quiet",
    "-A",
    "config",
)


@dataclass(frozen=True)
class Program:
    """A program to keep running.

    `stop_after` orders the stop: the lowest first, equal ones together. `patience` is how many seconds it gets to end by itself.
    """

    name: str
    command: tuple[str, ...]
    stop_after: int = 0
    patience: float = 0.0


@dataclass(frozen=True)
class Options:
    """What the environment and the command line say."""

    host: str
    port: int
    data: Path
    demo: bool
    web_concurrency: int
    worker_concurrency: int

    @property
    def address(self) -> str:
        """Where a browser on this machine finds the service."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104 shown, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


@dataclass(frozen=True)
class Plan:
    """What a supervisor runs: two commands to their end, then the programs for good."""

    migrate: Program
    demo: Program | None
    programs: tuple[Program, ...]


def plan(options: Options) -> Plan:
    """The table, for these options."""
    programs = (
        Program("web", _web(options), stop_after=3, patience=15),
        Program("worker", _worker("quick", QUICK_QUEUES, options.worker_concurrency), stop_after=2, patience=30),
        Program("long", _worker("long", LONG_QUEUES, 1), stop_after=2, patience=30),
        Program("beat", _beat(options.data), stop_after=1, patience=10),
    )
    migrate = Program("migrate", (*MANAGE, "migrate", "--noinput"))
    if not options.demo:
        return Plan(migrate, None, programs)
    catcher = Program("mail", (*MANAGE, "mailcatcher"), stop_after=3, patience=5)
    return Plan(migrate, Program("demo", (*MANAGE, "demo")), (*programs, catcher))


def _web(options: Options) -> tuple[str, ...]:
    return (
        *(sys.executable, "-m", "granian", "config.wsgi:application", "--interface", "wsgi", "--http", "1", "--no-ws"),
        *("--host", options.host, "--port", str(options.port), "--workers", str(options.web_concurrency)),
        *("--blocking-threads", str(WEB_THREADS), "--respawn-failed-workers", "--workers-kill-timeout", "10"),
    )


def _worker(name: str, queues: str, concurrency: int) -> tuple[str, ...]:
    return (
        *(*CELERY, "worker", "-n", f"{name}@%h", "-Q", queues, "-c", str(concurrency)),
        # PostgreSQL keeps track of workers and work; what workers tell each other over Redis would only cost time.
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
    )


def _beat(data: Path) -> tuple[str, ...]:
    # No pid file: the supervisor keeps one beat, and a stale file would stop the next start.
    schedule = os.fspath(data / "beat-schedule")
    return (*CELERY, "beat", "--schedule", schedule, "--pidfile", "", "--loglevel", "INFO")
