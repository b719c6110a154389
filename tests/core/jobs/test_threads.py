"""Workers whose pool is threads: which work they drain side by side, and that one of them may run the tick."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from threading import Event, Thread, current_thread
from types import SimpleNamespace

import pytest

from config.beat import Ticking
from config.data_dir import PROJECT
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


@pytest.mark.parametrize(("fails", "served"), [(True, True), (False, True), (False, False)])
def test_ticks_go_on_until_the_worker_stops(monkeypatch: pytest.MonkeyPatch, fails: bool, served: bool) -> None:
    ticks: list[str] = []
    beats: list[int] = []
    enough = Event()

    def notify_due() -> None:
        ticks.append(current_thread().name)
        if len(ticks) == 7:
            enough.set()
        if fails:
            raise OSError("the database is away")

    monkeypatch.setattr("config.beat.EVERY", 0.01)
    monkeypatch.setattr("core.jobs.tasks.notify_due", notify_due)
    monkeypatch.setattr("core.jobs.tasks.record_tick", lambda: beats.append(len(ticks)))
    monkeypatch.setattr("config.beat.is_served", lambda queue: served and queue == "tick")
    step = Ticking(SimpleNamespace(), ticks=True)
    assert step.enabled
    step.start(SimpleNamespace())
    assert enough.wait(10)
    step.stop(None)
    before = len(ticks)
    assert set(ticks) == {"ticks"}
    assert beats[:2] == ([1, 6] if served and not fails else [])
    assert not step._thread.is_alive()
    assert len(ticks) == before
    assert not Ticking(SimpleNamespace(), ticks=False).enabled


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_without_its_ticks_ends_so_that_it_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    killed: list[tuple[int, int]] = []
    over = Event()

    def kill(pid: int, number: int) -> None:
        killed.append((pid, number))
        over.set()

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr("config.beat.EVERY", 0.01)
    step = Ticking(SimpleNamespace(), ticks=True)
    monkeypatch.setattr(step, "_tick", lambda tasks, number: sys.exit())
    step.start(SimpleNamespace())
    assert over.wait(10)
    step.stop(None)
    assert killed == [(os.getpid(), signal.SIGTERM)]


HANGS = """
import time, config.beat
from types import SimpleNamespace
from core.jobs import tasks
config.beat.EVERY = 0.01
config.beat.MAX_SECONDS = 0.5
tasks.notify_due = lambda: time.sleep(60)
config.beat.Ticking(SimpleNamespace(), ticks=True).start(None)
time.sleep(60)
"""


def test_a_tick_that_hangs_ends_its_worker() -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{HANGS}"],
        cwd=PROJECT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 1
    assert "Timeout" in done.stderr
