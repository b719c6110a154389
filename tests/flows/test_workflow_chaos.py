"""Workers of workflows hang and are killed while PostgreSQL hangs and crashes: each run once, each of its effects once.

CHAOS_RUNS, CHAOS_RUN_KILLS and CHAOS_RUN_CRASHES set the size; `make chaos` runs it.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from subprocess import Popen

import psutil
import pytest
from django.db import DatabaseError, InterfaceError, connection, transaction

from core.events import emit
from core.jobs import WORK
from core.models import EventDelivery
from crm.models import Contact, LeadActivity
from tests.kit.cast import Cast, make_cast
from tests.kit.processes import drainer, kill
from tests.kit.stops import hang_one, hang_postgresql
from tests.workflows.helpers import edges, node, published
from workflows.models import RunReady, RunStep, RunTimer, SliceMark, WorkflowRun

pytestmark = pytest.mark.slow

RUNS = int(os.environ.get("CHAOS_RUNS", "20000"))
KILLS = int(os.environ.get("CHAOS_RUN_KILLS", "200"))
CRASHES = int(os.environ.get("CHAOS_RUN_CRASHES", "8"))
SECONDS = 3600
WORKERS = ("events", "workflow-runs", "workflow-runs")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def crash_postgresql() -> None:
    """Kill a server process by SIGKILL: PostgreSQL ends all others at once, and recovers from its log."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (own,) = cursor.fetchone()
    os.kill(own, signal.SIGKILL)
    connection.close()


def patiently(ask: object) -> object:
    """Ask the database until it is there again."""
    end = time.monotonic() + 60
    while True:
        try:
            return ask()  # type: ignore[operator]
        except (DatabaseError, InterfaceError):
            assert time.monotonic() < end
            connection.close()
            time.sleep(0.1)


def spawn(workers: dict[int, Popen[str]]) -> None:
    """Let every place have a worker that lives; one that lost its connection has ended by itself."""
    for place, name in enumerate(WORKERS):
        if place not in workers or workers[place].poll() is not None:
            workers[place] = drainer(name, seconds=SECONDS)


def under_way(cast: Cast) -> int:
    with cast.scope():
        ended = WorkflowRun.objects.filter(status__in=("completed", "failed", "cancelled")).count()
        return RUNS - ended


def test_chaos_of_workflows(cast: Cast) -> None:
    change = {"action": "update", "values": {"name": "{{ contact.name }}!"}}
    wait = node("wait", "wait", {"for": {"amount": 2, "unit": "seconds"}})
    nodes = [node("a", "contact", change), wait, node("note", "note", {"notes": "x"}), node("b", "contact", change)]
    id = published(
        cast, nodes, edges("a > wait", "wait > note", "note > b"), triggerEventType="contact.restored", config={}
    )
    with cast.scope():
        emails = [f"a{n}@example.org" for n in range(RUNS)]
        people = [Contact(name="Ann", email=email, email_key=email) for email in emails]
        Contact.objects.bulk_create(people, batch_size=2000)
        with transaction.atomic():
            emit("contact.restored", [one.pk for one in people], notify=False)
    workers: dict[int, Popen[str]] = {}
    chance, end = random.Random(7), time.monotonic() + SECONDS
    try:
        for number in range(KILLS):
            spawn(workers)
            time.sleep(chance.uniform(0.1, 1.5))
            if CRASHES and number % max(1, KILLS // CRASHES) == 0:
                patiently(hang_postgresql)
                patiently(crash_postgresql)
            hang_one([worker.pid for worker in workers.values()])
            victim = workers[chance.randrange(len(WORKERS))]
            kill(victim)
        while patiently(lambda: under_way(cast)):
            spawn(workers)
            assert time.monotonic() < end, patiently(lambda: under_way(cast))
            time.sleep(0.2)
    finally:
        for worker in workers.values():
            if psutil.pid_exists(worker.pid):
                kill(worker)
    connection.close()
    for name in ("events", "workflow-runs"):
        WORK[name].drain(float("inf"))
    with cast.scope():
        found = Counter(WorkflowRun.objects.filter(workflow=id).values_list("status", "error_code"))
        assert found == {("completed", ""): RUNS}
        assert {name.count("!") for name in Contact.objects.values_list("name", flat=True)} == {2}
        assert LeadActivity.objects.filter(kind="note").count() == RUNS
        assert Counter(RunStep.objects.values_list("node", "status")) == {
            ("trigger", "done"): RUNS,
            ("a", "done"): RUNS,
            ("wait", "waiting"): RUNS,
            ("note", "done"): RUNS,
            ("b", "done"): RUNS,
        }
        assert not RunReady.objects.exists()
        assert not RunTimer.objects.exists()
        assert not EventDelivery.objects.filter(consumer="workflows").exists()
    assert not SliceMark.objects.exists()
