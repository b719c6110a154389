"""Ends the supervisor's programs and embedded servers when the supervisor itself was killed and could not.

It reads the process groups to watch from a pipe that only the supervisor holds: `+123` when one starts, `-123` when one has ended, and the
end of the pipe when the supervisor is gone, however that happened. On a normal stop no group is left by then and there is nothing to do.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from config.data_dir import PROJECT
from config.local import embedded

PATIENCE = 5.0


class Guardian:
    """The supervisor's end of the pipe. A guardian that was killed is replaced at the next word."""

    def __init__(self, *, lock: int, servers: Path | None) -> None:
        self._lock = lock
        self._servers = servers
        self._groups: set[int] = set()
        self._process = self._start()

    def add(self, group: int) -> None:
        """Watch a process group."""
        self._groups.add(group)
        self._say(f"+{group}\n")

    def remove(self, group: int) -> None:
        """Watch it no more: it has ended."""
        self._groups.discard(group)
        self._say(f"-{group}\n")

    def dismiss(self) -> None:
        """End the guardian; to be called when nothing is left to watch and the servers are stopped."""
        self._say("stop\n")
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.wait(timeout=60)

    def _start(self) -> subprocess.Popen[bytes]:
        # The lock is held by both: a next supervisor waits until the guardian of a killed one is through.
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

    def _say(self, word: str) -> None:
        for _ in range(2):
            assert self._process.stdin is not None
            try:
                self._process.stdin.write(word.encode())
                self._process.stdin.flush()
                return
            except BrokenPipeError:
                self._process.wait()
                self._process = self._start()
                word = "".join(f"+{group}\n" for group in self._groups)


def main(servers: Path | None) -> None:
    """Read until the supervisor is gone, then end what it left."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        if line == "stop\n":
            return
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    _end(groups)
    if servers is not None:
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
