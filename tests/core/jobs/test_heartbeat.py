"""Health tells of background work that has stopped: a tick that no longer ends, periodic tasks that nobody runs."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.jobs.due import Due
from core.jobs.heartbeat import LATE_AFTER, STALE_AFTER, record_tick
from core.jobs.models import TaskSchedule
from core.jobs.periodic import MAX_SKEW, PeriodicTask, due_tasks, run_due_tasks
from core.jobs.registry import work_by_name
from core.jobs.tasks import tick
from tests.kit.celery_tasks import task_of
from tests.kit.periodic import only

pytestmark = pytest.mark.django_db


def health() -> tuple[int, str, str, str]:
    answer = Client().get("/api/public/health")
    body = answer.json()
    assert body["data"]["database"] == "ok"
    return answer.status_code, body["message"], body["data"]["tick"], body["data"]["work"]


def task(late: timedelta) -> None:
    name = next(iter(work_by_name(PeriodicTask)))
    TaskSchedule.objects.update_or_create(name=name, defaults={"due_at": timezone.now() - late})


def test_a_tick_makes_health_well() -> None:
    assert health() == (200, "Degraded", "stale", "ok")
    record_tick()
    assert health() == (200, "OK", "ok", "ok")


def test_a_tick_that_stopped_is_told() -> None:
    record_tick()
    TaskSchedule.objects.update(done_at=timezone.now() - STALE_AFTER - timedelta(seconds=1))
    assert health() == (200, "Degraded", "stale", "ok")
    record_tick()
    assert health() == (200, "OK", "ok", "ok")


def test_periodic_tasks_that_nobody_runs_are_told() -> None:
    record_tick()
    task(LATE_AFTER - timedelta(seconds=5))
    assert health() == (200, "OK", "ok", "ok")
    task(LATE_AFTER + timedelta(seconds=5))
    assert health() == (200, "Degraded", "ok", "late")


def test_a_clock_that_was_ahead_neither_hides_a_stopped_tick_nor_stops_the_tasks() -> None:
    record_tick()
    TaskSchedule.objects.update(done_at=timezone.now() + timedelta(days=365))
    assert health() == (200, "Degraded", "stale", "ok")
    record_tick()
    assert health() == (200, "OK", "ok", "ok")


def test_a_task_that_was_scheduled_by_a_clock_ahead_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    name, periodic = next(iter(work_by_name(PeriodicTask).items()))
    only(monkeypatch, name)
    TaskSchedule.objects.create(name=name, due_at=timezone.now() + periodic.every + timedelta(days=365))
    assert due_tasks() == [periodic]
    run_due_tasks()
    left = TaskSchedule.objects.get(name=name).due_at - timezone.now()
    assert timedelta(0) < left <= periodic.every
    assert due_tasks() == []
    task(-periodic.every - MAX_SKEW / 2)  # by the clock of another machine
    assert due_tasks() == []


def test_the_row_of_a_task_that_is_gone_says_nothing() -> None:
    record_tick()
    TaskSchedule.objects.create(name="of an older release", due_at=timezone.now() - timedelta(days=1))
    assert health() == (200, "OK", "ok", "ok")


def test_the_tick_records_itself_seldom(django_assert_num_queries: Any) -> None:
    record_tick()
    with django_assert_num_queries(1):
        record_tick()


def test_tasks_renew_their_connection_first(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def read_due() -> Due:
        calls.append("asked")
        return Due([], False, [])

    monkeypatch.setattr("core.jobs.tasks.close_old_connections", lambda: calls.append("renewed"))
    monkeypatch.setattr("core.jobs.celery_tasks.close_old_connections", lambda: calls.append("renewed"))
    monkeypatch.setattr("core.jobs.tasks.read_due", read_due)
    tick()
    task_of("mails")()
    assert calls == ["renewed", "asked", "renewed"]
