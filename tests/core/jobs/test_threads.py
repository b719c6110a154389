"""Workers whose pool is threads: which work they drain side by side, and that one of them may send the tick."""

from __future__ import annotations

import os
import signal
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest

from config.beat import Ticking
from core.jobs import celery_tasks
from core.jobs.registry import QueueWork


class Slow(QueueWork):
    """Work that goes on until it is let go."""


class SlowBesideItself(Slow):
    side_by_side = True


@pytest.mark.parametrize(("kind", "drains"), [(Slow, 1), (SlowBesideItself, 2)])
def test_a_process_drains_work_in_one_thread_unless_the_work_says_otherwise(
    monkeypatch: pytest.MonkeyPatch, kind: type[Slow], drains: int
) -> None:
    began: list[float] = []
    reached, go = Event(), Event()

    def run(deadline: float) -> None:
        began.append(deadline)
        if len(began) == drains:
            reached.set()
        assert go.wait(10)

    work = kind("slow", run, due_rows=lambda now: [], queue="ai", task="test.slow")
    monkeypatch.setattr(celery_tasks, "close_old_connections", lambda: None)
    monkeypatch.setattr(celery_tasks, "current_hold", lambda: None)
    threads = [Thread(target=celery_tasks.drain_slice, args=[work]) for _ in range(2)]
    threads[0].start()
    if drains == 1:
        assert reached.wait(10)
    threads[1].start()
    if drains == 1:
        threads[1].join(10)
        assert not threads[1].is_alive()
    assert reached.wait(10)
    go.set()
    for thread in threads:
        thread.join(10)
    assert len(began) == drains
    celery_tasks.drain_slice(work)
    assert len(began) == drains + 1


class Ends:
    """A schedule that ends by itself."""

    def __init__(self, app: Any, **options: Any) -> None:
        self.stopped = Event()

    def start(self) -> None:
        raise OSError("no way to the broker")

    def stop(self, wait: bool) -> None:
        self.stopped.set()


class GoesOn(Ends):
    def start(self) -> None:
        assert self.stopped.wait(10)


@pytest.mark.parametrize(("schedule", "killed"), [(Ends, True), (GoesOn, False)])
def test_a_worker_without_its_ticks_ends_so_that_it_is_started_again(
    monkeypatch: pytest.MonkeyPatch, schedule: type[Ends], killed: bool
) -> None:
    told: list[tuple[int, int]] = []
    over = Event()
    monkeypatch.setattr("config.beat.Service", schedule)
    monkeypatch.setattr(os, "kill", lambda pid, number: (told.append((pid, number)), over.set()))
    step = Ticking(SimpleNamespace(), ticks=True)
    assert step.enabled
    step.start(SimpleNamespace(app=None))
    if killed:
        assert over.wait(10)
    else:
        step.stop(None)
    assert told == ([(os.getpid(), signal.SIGTERM)] if killed else [])
    assert not Ticking(SimpleNamespace(), ticks=False).enabled
