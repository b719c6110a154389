"""The programs that the supervisor runs, in the order of their start."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from config.data_dir import PROJECT
from config.web_threads import web_threads

MANAGE = (sys.executable, os.fspath(PROJECT / "manage.py"))

# Workers by purpose, so that quick work never waits for long work.
QUICK_QUEUES = "tick,send,workflows"
LONG_QUEUES = "import,bulk"
SENDER_QUEUES = "outreach"
"""Outreach, whose tasks take as long as there is something to send, so that the tick never waits for them."""
AI_QUEUES = "ai"
"""What may wait for a model, which a company's server may let it do for minutes."""
AI_THREADS = 4
AI_POOL = ("-P", "threads", "--ticks")
"""Threads, since they wait for others' servers, whose calls all have their time limits, more than they compute."""

SENDER_PROCESSES = 2

# Granian's backpressure stays at its default: it counts open connections, so with a low limit idle browsers lock others
# out (measured: 12 idle ones, limit 8).

CELERY = (sys.executable, "-m", "celery", "--quiet", "-A", "config")


@dataclass(frozen=True)
class Program:
    """A program to keep running.

    `stop_after` orders the stop: the lowest first, equal ones together. `patience` is its time to end, in seconds.
    `forked` programs run the application: they are forks of the supervisor, which has loaded it.
    """

    name: str
    command: tuple[str, ...]
    stop_after: int = 0
    patience: float = 0.0
    forked: bool = False


@dataclass(frozen=True)
class Options:
    """The options of the environment and the command line."""

    host: str
    port: int
    data: Path
    demo: bool
    web_concurrency: int
    worker_concurrency: int

    @property
    def address(self) -> str:
        """The service's address for a browser on this machine."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104  displayed, not bound
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"


@dataclass(frozen=True)
class Plan:
    """The programs of a supervisor: two commands that run once, then those that keep running."""

    migrate: Program
    demo: Program | None
    programs: tuple[Program, ...]

    @property
    def forks(self) -> bool:
        """Whether the supervisor has to load the application."""
        return any(one.forked for one in (self.migrate, *self.programs))


def plan(options: Options) -> Plan:
    """Make the plan for these options."""
    programs = (
        _application("web", _web(options), stop_after=3, patience=15),
        _application("worker", _worker("quick", QUICK_QUEUES, options.worker_concurrency), stop_after=2, patience=30),
        _application("long", _worker("long", LONG_QUEUES, 1), stop_after=2, patience=30),
        _application("sender", _worker("sender", SENDER_QUEUES, SENDER_PROCESSES), stop_after=2, patience=30),
        _application("ai", (*_worker("ai", AI_QUEUES, AI_THREADS), *AI_POOL), stop_after=2, patience=30),
    )
    migrate = _application("migrate", (*MANAGE, "migrate", "--noinput"))
    if not options.demo:
        return Plan(migrate, None, programs)
    others = (sys.executable, "-m", "config.local.standins", os.fspath(options.data))
    standins = Program("standins", others, stop_after=3, patience=5)
    return Plan(migrate, _application("demo", (*MANAGE, "demo")), (*programs, standins))


def _application(name: str, command: tuple[str, ...], stop_after: int = 0, patience: float = 0.0) -> Program:
    return Program(name, command, stop_after, patience, forked=True)


def _web(options: Options) -> tuple[str, ...]:
    return (
        *(sys.executable, "-m", "granian", "config.wsgi:application", "--interface", "wsgi", "--http", "1", "--no-ws"),
        *("--host", options.host, "--port", str(options.port), "--workers", str(options.web_concurrency)),
        *("--blocking-threads", str(web_threads()), "--respawn-failed-workers", "--workers-kill-timeout", "10"),
    )


def _worker(name: str, queues: str, concurrency: int) -> tuple[str, ...]:
    return (
        *(*CELERY, "worker", "-n", f"{name}@%h", "-Q", queues, "-c", str(concurrency)),
        # PostgreSQL knows workers and work, so messages between workers over Redis would only cost time.
        *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "INFO"),
    )
