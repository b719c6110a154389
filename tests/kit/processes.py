"""Worker processes for tests that kill them: plain Python that drains one kind of work in the test's own database."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from urllib.parse import quote

import pytest
from django.db import connection

from config.data_dir import PROJECT

PREPARE = """
import os, signal, sys, time, django
from importlib import import_module
django.setup()
from core.jobs import WORK, sweep
for module in sys.argv[3:]:
    import_module(module)
name, end = sys.argv[1], time.monotonic() + float(sys.argv[2])
def drain(pause):
    swept = float("-inf")
    while time.monotonic() < end:
        if time.monotonic() >= swept + pause:
            sweep()
            swept = time.monotonic()
        WORK[name].drain(time.monotonic() + 1)
        time.sleep(0.02)
"""
DRAIN = f"""{PREPARE}
print("ready", flush=True)
drain(0)
"""
FORK = f"""{PREPARE}
from django.db import connection
sweep()  # what is compiled at first use is compiled once
connection.close()
print("ready", flush=True)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that the dead are gone
for _ in sys.stdin:
    child = os.fork()
    if not child:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        try:
            drain(5)  # seconds between two sweeps: each new worker begins with one
        finally:
            os._exit(0)
    print(child, flush=True)
"""


def database_url() -> str:
    """Return the address of the test's own database, for another process."""
    settings = connection.settings_dict
    host = settings["OPTIONS"].get("host") or settings["HOST"]
    user, port = settings["USER"], f":{settings['PORT']}" if settings["PORT"] else ""
    if host.startswith("/"):
        return f"postgresql://{user}@/{settings['NAME']}?host={quote(host, safe='')}"
    return f"postgresql://{user}:{quote(settings['PASSWORD'], safe='')}@{host}{port}/{settings['NAME']}"


def python(code: str, *arguments: str, stdin: int | None = None) -> subprocess.Popen[str]:
    """Start a Python process with the suite's settings on the test's database; its first line is `ready` once it is."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **_environment()},
        stdin=stdin,
        stdout=subprocess.PIPE,
        text=True,
    )


def _environment() -> dict[str, str]:
    return {
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "LEADWRIGHT_TEST_SERVERS": "1",
    }


class Forked:
    """A process like that of python(), forked from one that has loaded Django: starting takes hundredths of a second,
    not two seconds of a processor. It has the environment of the first one, and runs nothing `atexit`."""

    def __init__(self, code: str, *arguments: str) -> None:
        read, stdin = _server().Pipe(duplex=False)
        stdout, write = _server().Pipe(duplex=False)
        self._process = _server().Process(target=_run, args=(code, arguments, read, write), daemon=True)
        self._process.start()
        self.stdin = os.fdopen(os.dup(stdin.fileno()), "w", buffering=1)
        self.stdout = os.fdopen(os.dup(stdout.fileno()))
        for end in (read, stdin, stdout, write):
            end.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, negative for a signal, or None while the process runs."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """Wait for the end. Returns the exit code, negative for a signal."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout)
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()


@cache
def _server() -> ForkServerContext:
    """Start the process that has loaded Django, with the settings of a process of python()."""
    server = get_context("forkserver")
    server.set_forkserver_preload(["tests.kit.loaded"])
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**_environment(), "PYTHONPATH": str(PROJECT)}.items():
            patch.setenv(name, value)
        ensure_running()
    return server


def _run(code: str, arguments: tuple[str, ...], read: Connection, write: Connection) -> None:
    """Run the code in the forked process, as `python -c` would, between two pipes."""
    for number, end in enumerate((read, write)):
        os.dup2(end.fileno(), number)
        end.close()
    sys.argv = ["-c", *arguments]
    with open(0, closefd=False) as sys.stdin, open(1, "w", closefd=False) as sys.stdout:
        exec(code, {"__name__": "__main__"})


def drainer(name: str, seconds: float = 60) -> subprocess.Popen[str]:
    """Start a worker of one kind of work, which ends by itself after `seconds`."""
    return python(DRAIN, name, str(seconds))


def forked_drainer(name: str, seconds: float = 60) -> Forked:
    """Start the same, at once."""
    return Forked(DRAIN, name, str(seconds))


def kill(process: subprocess.Popen[str] | Forked) -> None:
    """Kill the process by SIGKILL, and wait for its end."""
    process.kill()
    process.wait(timeout=10)
    for pipe in filter(None, (process.stdin, process.stdout)):
        pipe.close()


class Pool:
    """Workers of one kind of work, forked from a process that has imported all, `modules` too: each works at once."""

    def __init__(self, name: str, number: int, seconds: float, *modules: str) -> None:
        self.number = number
        self.parent = python(FORK, name, str(seconds), *modules, stdin=subprocess.PIPE)
        self.pids: list[int] = []
        assert self._line() == "ready"
        self.fill()

    def fill(self) -> None:
        """Replace those who are dead."""
        self.pids = [pid for pid in self.pids if _lives(pid)]
        while len(self.pids) < self.number:
            assert self.parent.stdin is not None
            self.parent.stdin.write("\n")
            self.parent.stdin.flush()
            self.pids.append(int(self._line()))

    def kill_one(self) -> bool:
        """Kill a worker by SIGKILL, if one is alive. Returns whether one was."""
        for pid in random.sample(self.pids, len(self.pids)):
            if _lives(pid):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    def close(self) -> None:
        """Kill all of them."""
        while self.kill_one():
            time.sleep(0.01)
        if self.parent.stdin:
            self.parent.stdin.close()
        kill(self.parent)

    def _line(self) -> str:
        assert self.parent.stdout is not None
        return self.parent.stdout.readline().strip()


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
