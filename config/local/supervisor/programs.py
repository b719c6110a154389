"""The programs that the supervisor runs, in the order of their start."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from config import worker
from config.data_dir import PROJECT
from config.web_threads import REQUEST_SECONDS

MANAGE = (sys.executable, os.fspath(PROJECT / "manage.py"))

# Granian's backpressure stays at its default: it counts open connections, so with a low limit idle browsers lock others
# out (measured: 12 idle ones, limit 8).


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

    @property
    def banner(self) -> Path:
        """The file of what the demo prints."""
        return self.data / "banner.txt"


@dataclass(frozen=True)
class Plan:
    """The programs of a supervisor: the command that runs first, and those that keep running."""

    prepare: Program
    programs: tuple[Program, ...]


def plan(options: Options) -> Plan:
    """Make the plan for these options."""
    main = worker.worker_command("main", worker.main_processes(options.worker_concurrency))
    programs = (
        Program("web", (sys.executable, "-m", "config.web"), stop_after=3, patience=REQUEST_SECONDS + 5),
        Program("worker", main, stop_after=2, patience=30),
        Program("ai", worker.worker_command("ai"), stop_after=2, patience=30),
    )
    if not options.demo:
        return Plan(Program("prepare", (*MANAGE, "prepare")), programs)
    prepare = Program("prepare", (*MANAGE, "prepare", "--demo", os.fspath(options.banner)))
    others = (sys.executable, "-m", "config.local.standins", os.fspath(options.data))
    standins = Program("standins", others, stop_after=3, patience=5)
    return Plan(prepare, (*programs, standins))
