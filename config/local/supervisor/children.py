"""A program that is kept running: started, listened to, restarted with growing pauses, stopped."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping

from config.data_dir import PROJECT
from config.local.supervisor.programs import Program

FIRST_PAUSE = 1.0
LONGEST_PAUSE = 30.0
# A program that ran this long has started well; the next pause is the first one again.
STEADY_AFTER = 60.0
LONGEST_LINE = 64 * 1024


class Child:
    """One program of the table and, while it runs, its process.

    The process leads a session and a group of its own: Ctrl-C doesn't reach it, so that the supervisor decides the order of stopping,
    and whatever it has started can be ended together with it.
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
        """The running process's id, which is its group's too."""
        return None if self._process is None else self._process.pid

    def start(self) -> int:
        """Start the process; the file descriptor of what it says."""
        process = subprocess.Popen(
            self.program.command,
            cwd=PROJECT,
            env=dict(self._environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            # What the programs write, uploads above all, is nobody else's to read.
            umask=0o077,
        )
        assert process.stdout is not None
        os.set_blocking(process.stdout.fileno(), False)
        self._process, self._started, self._rest = process, time.monotonic(), b""
        return process.stdout.fileno()

    def pump(self) -> int | None:
        """Pass on what the process has said; how many bytes, 0 at the end of its output, None when there is nothing now."""
        if self._process is None or self._process.stdout is None:
            return None
        try:
            data = os.read(self._process.stdout.fileno(), LONGEST_LINE)
        except BlockingIOError:
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LONGEST_LINE or not data:
            lines, self._rest = [*lines, *([self._rest] if self._rest else [])], b""
        for line in lines:
            self._say(self.program.name, line.decode(errors="replace").rstrip("\r"))
        return len(data)

    def ended(self) -> str | None:
        """How the process ended, for people; None while it runs or when there is none."""
        if self._process is None or (code := self._process.poll()) is None:
            return None
        return f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"

    def forget(self) -> None:
        """Let go of a process that ended: end what it left behind, say its last words, plan the next start."""
        assert self._process is not None
        assert self._process.stdout is not None
        self.kill()
        while self.pump():
            pass
        self._process.stdout.close()
        if time.monotonic() - self._started > STEADY_AFTER:
            self._pause = FIRST_PAUSE
        self.start_at = time.monotonic() + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)
        self._process = None

    @property
    def pause(self) -> float:
        """Seconds until the planned start."""
        return max(0.0, self.start_at - time.monotonic())

    def terminate(self) -> None:
        """Ask the main process to end. Its children hear it from there: a Celery pool's would drop their tasks at this signal."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()

    def kill(self) -> None:
        """End the process and all that it started, at once."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
