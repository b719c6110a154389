"""What workers give back when nothing is to do."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from threading import Thread
from types import SimpleNamespace

import pytest

from core.jobs import rest
from core.jobs.tasks import tick
from tests.kit.celery_tasks import task_of


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Counts how often connections were closed. The process's alarm is as it was afterwards."""
    closes: list[int] = []
    monkeypatch.setattr(rest, "connections", SimpleNamespace(close_all=lambda: closes.append(1)))
    monkeypatch.setattr(rest, "_worked_at", None)
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    yield closes
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def left() -> float:
    return signal.getitimer(signal.ITIMER_REAL)[0]


def test_the_alarm_goes_by_the_last_work_and_never_rings_in_a_task(
    closed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(rest, "monotonic", lambda: now)
    monkeypatch.setattr(rest, "own_memory", lambda: 0)
    rest.end(sender=tick)
    assert left() == 0  # ticks alone are no work
    rest.end(sender=task_of("mails"))
    assert rest.REST_AFTER - 5 < left() <= rest.REST_AFTER
    now += 20
    rest.begin()
    assert left() == 0
    rest.end(sender=tick)
    assert 5 < left() <= rest.REST_AFTER - 20
    now += 60
    rest.begin()
    rest.end(sender=tick)
    assert 0 < left() < 1  # the tick ends, and then the process rests
    rest.begin()
    rest.rest()
    rest.end(sender=tick)
    assert left() == 0


def test_what_has_kept_much_makes_room_for_a_fresh_fork(closed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "own_memory", lambda: rest.MAX_OWN_BYTES)
    rest.rest()
    assert closed == [1]
    monkeypatch.setattr(rest, "own_memory", lambda: rest.MAX_OWN_BYTES + 1)
    with pytest.raises(SystemExit) as ended:
        rest.rest()
    assert ended.value.code == rest.RECYCLED
    assert closed == [1]


def test_a_process_whose_calls_are_out_goes_on(closed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest, "own_memory", lambda: rest.MAX_OWN_BYTES + 1)
    monkeypatch.setattr(rest, "has_open_calls", lambda: True)
    rest.rest()
    assert closed == []
    assert left() > 0  # it looks again


def test_own_memory_is_what_the_process_has_written(closed: list[int]) -> None:
    before = rest.own_memory()
    kept = bytearray(b"x") * (64 * 2**20)
    assert rest.own_memory() - before > 60 * 2**20
    del kept


def test_threads_close_their_connections_after_each_task(closed: list[int]) -> None:
    rest.rest_thread()
    assert closed == []  # a process of a pool rests later
    for _ in range(2):
        thread = Thread(target=rest.rest_thread)
        thread.start()
        thread.join(10)
    assert closed == [1, 1]
