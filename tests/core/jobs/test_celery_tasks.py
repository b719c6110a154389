"""Each kind of work has a Celery task of its own: a queue that workers take, limits, and no retries of Celery's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from time import sleep
from typing import Any

import pytest
from celery import current_app

from config.worker import GROUPS
from core.events import EventConsumer
from core.jobs import WORK, DrainedWork, PeriodicTask, broker, celery_tasks, notify, tasks, work_by_name
from core.jobs.models import TaskSchedule
from core.jobs.registry import CeleryWork, celery_work, queue_work_by_name
from crm.bulk_jobs.services import BulkAction
from tests.kit.periodic import only

QUEUES = {queue for group in GROUPS.values() for queue in group.queues.split(",")}
NAME = re.compile(r"(accounts|billing|core|crm|outreach|workflows)\.[a-z]+(_[a-z]+)*")


def test_every_kind_of_work_has_a_task_or_is_part_of_one_that_has() -> None:
    parts = (EventConsumer, BulkAction)
    assert len(celery_work()) == sum(isinstance(work, CeleryWork) for work in WORK.values()) > 80
    for work in WORK.values():
        assert isinstance(work, CeleryWork) or isinstance(work, parts) and work.part_of in queue_work_by_name()
    own = [name for name in current_app.tasks if not name.startswith("celery.")]
    assert set(own) - celery_work().keys() == {"core.tick"}


@pytest.mark.parametrize("name", sorted(celery_work()))
def test_a_task_states_its_queue_its_limits_and_no_retries(name: str) -> None:
    work, task = celery_work()[name], current_app.tasks[name]
    assert current_app.amqp.router.route({}, name)["queue"].name == work.queue
    assert work.queue in QUEUES
    assert (task.ignore_result, task.acks_late, task.max_retries) == (True, False, 0)
    assert work.slice_seconds < task.soft_time_limit < task.time_limit


def test_quick_work_leaves_other_quick_work_its_turn() -> None:
    """Mails of accounts wait for the slices of workflows and events, which one pool runs."""
    quick = [work for work in celery_work().values() if work.queue in ("tick", "send", "workflows")]
    assert {"core.deliver_events", "accounts.send_mails", "workflows.run"} <= {work.task for work in quick}
    assert all(work.slice_seconds <= 2 for work in quick)
    assert queue_work_by_name()["import"].slice_seconds > 2


def test_names_of_tasks_are_an_app_and_an_action_or_a_periodic_task() -> None:
    assert {"crm.run_import", "outreach.send_messages", "workflows.run", "billing.renew"} <= celery_work().keys()
    for name, work in celery_work().items():
        if isinstance(work, DrainedWork):
            assert NAME.fullmatch(name), name
        else:
            assert name == f"periodic.{work.name.replace(' ', '_')}"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The messages that reach a broker of the test's own."""
    messages: list[str] = []

    def send_task(name: str, **_: Any) -> None:
        messages.append(name)

    monkeypatch.undo()  # of the stand-in that sends nothing
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(broker.current_app, "send_task", send_task)
        _forget_waiting()
        yield messages
        _forget_waiting()


def _forget_waiting() -> None:
    with broker._producers().acquire(block=True) as producer:
        for key in producer.channel.client.scan_iter("waiting:*"):
            producer.channel.client.delete(key)


def test_a_notification_is_the_task_of_the_work(sent: list[str]) -> None:
    notify._publish(queue_work_by_name()["import"])
    notify._publish(work_by_name(PeriodicTask)["use of limits"])
    assert sent == ["crm.run_import", "periodic.use_of_limits"]


def test_few_messages_of_a_task_wait_at_once(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand changes at once ask for the same work: the tick must not wait behind a thousand messages."""
    monkeypatch.setattr(broker, "FORGET_SECONDS", 600)
    events, other = queue_work_by_name()[EventConsumer.part_of], queue_work_by_name()["import"]
    for _ in range(1000):
        notify._publish(events)
    notify._publish(other)
    assert sent == [events.task] * broker.MAX_WAITING + [other.task]
    broker.release_message(events.task)
    notify._publish(events)
    assert len(sent) == broker.MAX_WAITING + 2


def test_lost_messages_do_not_keep_others_from_being_sent(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "FORGET_SECONDS", 1)
    for _ in range(20):
        notify._publish(queue_work_by_name()["import"])
    sleep(1.1)
    notify._publish(queue_work_by_name()["import"])
    assert len(sent) == broker.MAX_WAITING + 1


def test_messages_of_busy_seconds_do_not_pile_up(sent: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The tick asks for due work each second, for as long as no worker is free."""
    monkeypatch.setattr(broker, "FORGET_SECONDS", 4)
    for _ in range(broker.MAX_WAITING * 2):
        notify._publish(queue_work_by_name()["workflow-runs"])
        sleep(0.3)
    assert len(sent) == broker.MAX_WAITING


@pytest.mark.django_db
def test_work_that_is_not_done_when_its_slice_ends_goes_on_without_a_tick(
    sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work = queue_work_by_name()["mails"]
    monkeypatch.setattr(celery_tasks, "close_old_connections", lambda: None)
    monkeypatch.setattr(type(work), "drain", lambda self, deadline: None)
    celery_tasks.drain_slice(work)
    assert sent == []
    monkeypatch.setattr(type(work), "slice_seconds", 0.0)
    celery_tasks.drain_slice(work)
    assert sent == [work.task]


@pytest.mark.django_db
def test_the_tick_sends_the_tasks_of_the_work_that_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []
    monkeypatch.setattr(tasks, "close_old_connections", lambda: None)
    monkeypatch.setattr(tasks, "notify_workers_of", lambda work: sent.append(work.task))
    only(monkeypatch, "mails", "rewards")
    tasks.tick()
    assert sorted(sent) == ["periodic.mails", "periodic.rewards"]
    for name in ("mails", "rewards"):
        TaskSchedule.objects.create(name=name)
    work_by_name(PeriodicTask)["mails"].drain(float("inf"))
    sent.clear()
    tasks.tick()
    assert sent == ["periodic.rewards"]
