"""The tick reads what is due by one statement for all kinds of work, and work begins as soon as it is due."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.mails.models import Mail
from core.hold.services import begin_hold
from core.jobs import WORK, QueueWork, due, tasks
from core.jobs.due import read_due
from core.jobs.heartbeat import record_tick
from core.jobs.models import TaskSchedule
from core.jobs.registry import queue_work_by_name
from core.tenancy import unscoped
from crm.files.models import File
from crm.imports.models import Import
from tests.kit.cast import Cast
from tests.kit.periodic import only

pytestmark = pytest.mark.django_db
NO_WORKER = 1


@pytest.fixture(autouse=True)
def _no_periodic_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)


def due_names() -> list[str]:
    return sorted(work.name for work in read_due().work)


def mail() -> None:
    with unscoped(reason="test: a mail of the service"):
        Mail(to="a@example.org", subject="Hello", text="Hello").save()


def job(cast: Cast, **values: Any) -> None:
    with cast.scope():
        file = File.objects.create(name="a.csv", size=1, mime="text/csv", path=f"x/{timezone.now().timestamp()}")
        Import.objects.create(file=file, **values)


def test_work_is_due_as_soon_as_its_time_has_come_and_not_before(cast: Cast) -> None:
    assert due_names() == []
    job(cast, due_at=timezone.now() + timedelta(minutes=1))
    assert due_names() == []
    job(cast)
    mail()
    assert due_names() == ["import", "mails"]
    assert [name for name, work in sorted(queue_work_by_name().items()) if work.due()] == ["import", "mails"]


def test_a_tick_that_finds_nothing_takes_three_statements_and_no_transaction(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)
    record_tick()
    tasks.tick()
    with CaptureQueriesContext(
        connection,
    ) as captured:
        tasks.tick()
    assert len(captured) == 3
    assert not [query for query in captured if query["sql"].startswith(("BEGIN", "SAVEPOINT"))]


def test_rows_of_dead_workers_are_due_again_in_the_same_tick(monkeypatch: pytest.MonkeyPatch, cast: Cast) -> None:
    sent: list[str] = []
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)
    monkeypatch.setattr(tasks, "notify_workers_of", lambda work, **_: sent.append(work.task))
    job(cast, status=Import.Status.RUNNING, worker=NO_WORKER)
    assert (due_names(), read_due().orphans) == ([], [(Import, "running")])
    tasks.tick()
    assert (sent, read_due().orphans) == (["crm.run_import"], [])


def test_a_hold_leaves_what_stays_inside(cast: Cast) -> None:
    job(cast)
    mail()
    begin_hold("A test")
    assert (due_names(), read_due().held) == (["import"], True)


def test_work_that_is_registered_later_is_asked_for_too(monkeypatch: pytest.MonkeyPatch) -> None:
    read_due()
    work = QueueWork(
        "later",
        lambda deadline: None,
        queue="bulk",
        task="core.later",
        due_rows=lambda now: [TaskSchedule.objects.filter(name="later", due_at__lte=now)],
    )
    monkeypatch.setitem(WORK, work.key, work)
    assert due_names() == []
    TaskSchedule.objects.create(name="later")
    assert due_names() == ["later"]


def test_the_statement_asks_for_every_kind_and_takes_no_parameters() -> None:
    with unscoped(reason="test: the tick's statement"):
        statement = due._statement(tuple(WORK))
        asked = {name for name, work in queue_work_by_name().items() if work.rows_due_at(timezone.now())}
    assert queue_work_by_name().keys() - asked == {"tracking-domains"}  # the demo's hosts do not exist
    for name in asked:
        assert f"'work {name}'" in statement
    assert "STATEMENT_TIMESTAMP()" in statement
    assert "%s" not in statement
