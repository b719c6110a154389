"""Shares of a worker's pool: at most so many of its processes run work of some queues at once (config.shares).

One pool serves all queues, and long work would fill it: the tick asks for more of it each second. What is left of the
pool is for the other queues. Only for pools of processes.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO

from celery import current_app
from kombu.exceptions import OperationalError
from redis import RedisError

from core.jobs.rest import TICK


@dataclass(frozen=True)
class Share:
    """A limit of processes for some queues. Each has a byte in the file of locks, from `first` on."""

    queues: frozenset[str]
    first: int
    processes: int

    @property
    def refused(self) -> int:
        """The place of the byte that is 1 when a process was refused."""
        return self.first + self.processes


class Shares:
    """The shares of a pool.

    Its processes inherit one file and lock bytes of it. The kernel frees the locks of a process that is killed.
    """

    def __init__(self, limits: Iterable[tuple[str, int]]) -> None:
        self._file: IO[bytes] = TemporaryFile()  # noqa: SIM115  open for as long as the pool
        self._of_queue: dict[str, Share] = {}
        first = 0
        for queues, processes in limits:
            share = Share(frozenset(queues.split(",")), first, processes)
            self._of_queue |= dict.fromkeys(share.queues, share)
            first = share.refused + 1

    @contextmanager
    def place(self, queue: str) -> Iterator[bool]:
        """Take a place of the queue's share for the block. Yields False if none is free."""
        share = self._of_queue.get(queue)
        if share is None:
            yield True
            return
        byte = self._claim(share)
        if byte is None:
            yield False
            return
        try:
            yield True
        finally:
            self._free(share, byte)

    def _claim(self, share: Share) -> int | None:
        byte = self._lock(share)
        if byte is None:
            os.pwrite(self._file.fileno(), b"\1", share.refused)
            # The last holder may have given it back just before the note.
            byte = self._lock(share)
        return byte

    def _lock(self, share: Share) -> int | None:
        for byte in range(share.first, share.refused):
            with suppress(OSError):
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
                return byte
        return None

    def _free(self, share: Share, byte: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, byte)
        if os.pread(self._file.fileno(), 1, share.refused) == b"\1":
            os.pwrite(self._file.fileno(), b"\0", share.refused)
            ask_for_tick()


_shares: Shares | None = None


@contextmanager
def place_of(queue: str) -> Iterator[bool]:
    """Take a place of the queue's share for the block, if this pool has shares. Yields False if none is free."""
    if _shares is None:
        yield True
        return
    with _shares.place(queue) as free:
        yield free


def ask_for_tick() -> None:
    """Ask for a tick now, which repeats the messages that were refused. Without Redis the next second's does."""
    with suppress(OperationalError, RedisError):
        current_app.send_task(TICK, expires=3, retry=False, ignore_result=True)


def set_shares(texts: tuple[str, ...]) -> None:
    """Set the shares of this process and those that it forks, from texts such as `import,bulk=1`."""
    global _shares
    pairs = (text.split("=") for text in texts)
    _shares = Shares((queues, int(processes)) for queues, processes in pairs) if texts else None
