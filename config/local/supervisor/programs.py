"""The programs that the supervisor runs, in the order of their start."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from config import worker
from config.data_dir import PROJECT
from config.web import REQUEST_SECONDS

MANAGE = (sys.executable, os.fspath(PROJECT / "manage.py"))

# Granian's backpressure stays at its default: it counts open connections, so with a low limit idle browsers lock others
# out (measured: 12 idle ones, limit 8).


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
    """The programs of a supervisor: commands that run once, then those that keep running."""

    migrate: Program
    demo: Program | None
    programs: tuple[Program, ...]
    schema: Program | None = None

    @property
    def forks(self) -> bool:
        """Return whether the supervisor has to load the application."""
        return any(program.forked for program in (self.migrate, *self.programs))


def plan(options: Options) -> Plan:
    """Make the plan for these options."""
    programs = (
        _application("web", (sys.executable, "-m", "config.web"), stop_after=3, patience=REQUEST_SECONDS + 5),
        _application("worker", worker.command("quick", options.worker_concurrency), stop_after=2, patience=30),
        *(_application(name, worker.command(name), stop_after=2, patience=30) for name in ("long", "sender", "ai")),
    )
    migrate = _application("migrate", (*MANAGE, "migrate", "--noinput"))
    schema = _application("schema", (*MANAGE, "api_schema"))
    if not options.demo:
        return Plan(migrate, None, programs, schema)
    others = (sys.executable, "-m", "config.local.standins", os.fspath(options.data))
    standins = Program("standins", others, stop_after=3, patience=5)
    return Plan(migrate, _application("demo", (*MANAGE, "demo")), (*programs, standins), schema)


def _application(name: str, command: tuple[str, ...], stop_after: int = 0, patience: float = 0.0) -> Program:
    return Program(name, command, stop_after, patience, forked=True)
