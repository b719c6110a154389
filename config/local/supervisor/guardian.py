"""The guardian ends the supervisor's programs and embedded servers if the supervisor was killed.

It reads the process groups to watch from a pipe that only the supervisor holds: `+123` when one starts, `-123` when one
has ended. The pipe ends with the supervisor. After a normal stop no group is left.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import IO, cast

from config.data_dir import PROJECT

PATIENCE = 5.0


class Guardian:
    """The supervisor's end of the pipe. The next message replaces a guardian that was killed."""

    def __init__(self, *, lock: int, servers: Path | None) -> None:
        self._lock = lock
        self._servers = servers
        self._groups: set[int] = set()
        self._process = self._start()

    def add(self, group: int) -> None:
        """Watch a process group."""
        self._groups.add(group)
        self._write(f"+{group}\n")

    def remove(self, group: int) -> None:
        """Stop watching a group that has ended."""
        self._groups.discard(group)
        self._write(f"-{group}\n")

    def dismiss(self) -> None:
        """End the guardian. Nothing is left to watch, and the servers are stopped."""
        self._write("stop\n")
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        self._process.wait(timeout=60)

    def _start(self) -> subprocess.Popen[bytes]:
        # Both hold the lock, so that the next supervisor waits for the guardian of a killed one.
        return subprocess.Popen(
            [
                sys.executable,
                "-m",
                "config.local.supervisor.guardian",
                *([os.fspath(self._servers)] if self._servers else []),
            ],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(self._lock,),
        )

    @property
    def _pipe(self) -> IO[bytes]:
        return cast("IO[bytes]", self._process.stdin)

    def _write(self, word: str) -> None:
        for _ in range(2):
            try:
                self._pipe.write(word.encode())
                self._pipe.flush()
                return
            except BrokenPipeError:
                self._process.wait()
                self._process = self._start()
                word = "".join(f"+{group}\n" for group in self._groups)


def main(servers: Path | None) -> None:
    """Read until the supervisor is gone, then end its remaining processes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        if line == "stop\n":
            return
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    _end(groups)
    if servers is not None:
        embedded = import_module("config.local.embedded")  # needed at the end alone, so that it waits in little memory
        for stop in (embedded.stop_redis, embedded.stop_postgres):
            with contextlib.suppress(embedded.EmbeddedServerError):
                stop(servers)


def _end(groups: set[int]) -> None:
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(group, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and any(_lives(group) for group in groups):
        time.sleep(0.1)
    for group in groups:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


def _lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
