"""A program that is kept running: start, output, restart with growing pauses, stop."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from typing import IO, cast

from config.data_dir import PROJECT
from config.local.supervisor.programs import Program

FIRST_PAUSE = 1.0
MAX_PAUSE = 30.0
# After running this long, a program restarts with the first pause again.
STEADY_AFTER = 10.0
MAX_LINE_LENGTH = 64 * 1024


class Child:
    """One program and, while it runs, its process.

    The process leads its own session and group. Ctrl-C doesn't reach it, so that the supervisor decides the order of
    stopping. The group ends with all of its processes.
    """

    def __init__(self, program: Program, *, environment: Mapping[str, str], say: Callable[[str, str], None]) -> None:
        self.program = program
        self._environment = environment
        self._say = say
        self._process: subprocess.Popen[bytes] | None = None
        self._rest = b""
        self._pause = FIRST_PAUSE
        self._started = 0.0
        self.start_at = 0.0

    @property
    def pid(self) -> int | None:
        """The id of the running process and of its group."""
        return None if self._process is None else self._process.pid

    def start(self) -> int:
        """Start the process. Returns the file descriptor of its output."""
        process = self._spawn()
        output = cast("IO[bytes]", process.stdout).fileno()
        os.set_blocking(output, False)
        self._process = process
        self._started = time.monotonic()
        self._rest = b""
        return output

    def _spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.program.command,
            cwd=PROJECT,
            env=dict(self._environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # Other users must not read what the programs write, such as uploads.
            umask=0o077,
        )

    def pump(self) -> int | None:
        """Pass on the process's output. Returns the number of bytes, 0 at its end, None if there is nothing now."""
        if self._process is None or self._process.stdout is None:
            return None
        try:
            data = os.read(self._process.stdout.fileno(), MAX_LINE_LENGTH)
        except BlockingIOError:
            return None
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest
        if len(self._rest) > MAX_LINE_LENGTH or not data:
            lines = [*lines, *([self._rest] if self._rest else [])]
            self._rest = b""
        for line in lines:
            self._say(self.program.name, line.decode(errors="replace").rstrip("\r"))
        return len(data)

    def describe_end(self) -> str | None:
        """Return a description of the process's end. None while it runs or if there is none."""
        if self._process is None or (code := self._process.poll()) is None:
            return None
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def forget(self) -> None:
        """Clean up after a process that ended: kill its group, pass on the rest of its output, plan the next start."""
        process = cast("subprocess.Popen[bytes]", self._process)
        self.kill()
        while self.pump():
            pass
        cast("IO[bytes]", process.stdout).close()
        if time.monotonic() - self._started > STEADY_AFTER:
            self._pause = FIRST_PAUSE
        self.start_at = time.monotonic() + self._pause
        self._pause = min(self._pause * 2, MAX_PAUSE)
        self._process = None

    @property
    def pause(self) -> float:
        """The seconds until the planned start."""
        return max(0.0, self.start_at - time.monotonic())

    def terminate(self) -> None:
        """Ask the main process to end. It stops its children: a Celery pool would drop its tasks at this signal."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """Kill the process and everything that it started."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
