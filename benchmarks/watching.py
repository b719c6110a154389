"""Sampling of a process's memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

import psutil


class Watch:
    """Samples a number of bytes ten times a second inside the block. `most` is the maximum."""

    def __init__(self, measure: Callable[[], int], every: float = 0.1) -> None:
        self._measure, self._every = measure, every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.most = 0

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        while not self._over.is_set():
            try:
                self.most = max(self.most, self._measure())
            except psutil.NoSuchProcess:
                return
            self._over.wait(self._every)
