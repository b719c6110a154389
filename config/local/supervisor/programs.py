"""The programs that the supervisor runs, in the order of their start."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from config.data_dir import PROJECT
from config.demo_vendors import note_file
from config.web_threads import web_threads

MANAGE = (sys.executable, os.fspath(PROJECT / "manage.py"))

# Workers by purpose, so that quick work never waits for long work.
QUICK_QUEUES = "tick,send,workflows"
LONG_QUEUES = "import,bulk"
SENDER_QUEUES = "outreach"
"""Outreach, whose tasks take as long as there is something to send, so that the tick never waits for them."""
AI_QUEUES = "ai"
"""What may wait for a model, which a company's server may let it do for minutes."""

SENDER_PROCESSES = 2
STANDIN = "payment-standin.json"
"""Where the demo notes the port of its stand-in for payment gateways."""

# Granian's backpressure stays at its default: it counts open connections, so with a low limit idle browsers lock others
# out (measured: 12 idle ones, limit 8).

# Celery warns about root, once per worker. The embedded servers drop root themselves.
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

    `stop_after` orders the stop: the lowest first, equal ones together. `patience` is its time to end, in seconds.
    """

    name: str
    command: tuple[str, ...]
    stop_after: int = 0
    patience: float = 0.0


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


def plan(options: Options) -> Plan:
    """Make the plan for these options."""
    programs = (
        Program("web", _web(options), stop_after=3, patience=15),
        Program("worker", _worker("quick", QUICK_QUEUES, options.worker_concurrency), stop_after=2, patience=30),
        Program("long", _worker("long", LONG_QUEUES, 1), stop_after=2, patience=30),
        Program("sender", _worker("sender", SENDER_QUEUES, SENDER_PROCESSES), stop_after=2, patience=30),
        Program("ai", _worker("ai", AI_QUEUES, 2), stop_after=2, patience=30),
        Program("beat", _beat(options.data), stop_after=1, patience=10),
    )
    migrate = Program("migrate", (*MANAGE, "migrate", "--noinput"))
    if not options.demo:
        return Plan(migrate, None, programs)
    catcher = Program("mail", (*MANAGE, "mailcatcher"), stop_after=3, patience=5)
    noted = os.fspath(options.data / STANDIN)
    gateways = Program("gateways", (sys.executable, "-m", "billing.standin", noted), stop_after=3, patience=5)
    chats = (sys.executable, "-m", "config.local.chat_standin", os.fspath(note_file(options.data)))
    vendor = Program("chats", chats, stop_after=3, patience=5)
    return Plan(migrate, Program("demo", (*MANAGE, "demo")), (*programs, catcher, gateways, vendor))


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


def _beat(data: Path) -> tuple[str, ...]:
    # No pid file: the supervisor keeps one beat, and a stale file would stop the next start.
    schedule = os.fspath(data / "beat-schedule")
    return (*CELERY, "beat", "--schedule", schedule, "--pidfile", "", "--loglevel", "INFO")
