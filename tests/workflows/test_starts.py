"""What starts runs beside events: schedules, webhooks, members; and conditions over values."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from core.jobs import WORK
from crm.models import Contact
from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.graphs.cron import read_cron
from workflows.graphs.settings import Schedule
from workflows.models import RunSkip, ScheduleFiring
from workflows.schedules.times import due_times, next_time

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


@pytest.mark.parametrize(
    ("cron", "after", "found"),
    [
        ("30 2 * * *", "2026-03-28T12:00+00:00", "2026-03-29T01:00+00:00"),  # skipped: at the change
        ("30 2 * * *", "2026-10-24T12:00+00:00", "2026-10-25T00:30+00:00"),  # repeated: once
        ("30 2 * * *", "2026-10-25T00:30+00:00", "2026-10-26T01:30+00:00"),
        ("0 9 * * 1-5", "2026-01-02T09:00+00:00", "2026-01-05T08:00+00:00"),
        ("0 0 29 2 *", "2026-01-01T00:00+00:00", "2028-02-28T23:00+00:00"),
        ("0 0 13 * 5", "2026-01-09T12:00+00:00", "2026-01-12T23:00+00:00"),  # a 13th or a Friday
    ],
)
def test_cron(cron: str, after: str, found: str) -> None:
    assert read_cron(cron).next_after(datetime.fromisoformat(after), BERLIN) == datetime.fromisoformat(found)


@pytest.mark.parametrize("bad", ["* * * *", "61 * * * *", "x * * * *", "*/0 * * * *", "0 0 30 2 *"])
def test_bad_cron_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="^(needs five fields|Bad )"):
        read_cron(bad)


def at(hour: int) -> datetime:
    return datetime(2026, 5, 4, hour, tzinfo=UTC)


@pytest.mark.parametrize(("misfire", "hours"), [("once", [12]), ("skip", []), ("all", [9, 10, 11, 12])])
def test_times_that_were_missed(misfire: str, hours: list[int]) -> None:
    every = {
        "type": "interval",
        "every": {"amount": 1, "unit": "hours"},
        "from": at(0).isoformat(),
        "misfire": misfire,
        "timezone": "UTC",
    }
    found, following = due_times(Schedule.model_validate(every), at(9), at(12) + timedelta(minutes=30))
    assert (found, following) == ([at(hour) for hour in hours], at(13))


def test_months_count_from_the_first_one() -> None:
    monthly = {
        "type": "interval",
        "every": {"amount": 1, "unit": "months"},
        "from": "2026-01-31T09:00:00Z",
        "timezone": "UTC",
    }
    schedule = Schedule.model_validate(monthly)
    times = [datetime(2026, 1, 31, 9, tzinfo=UTC)]
    for _ in range(3):
        times.append(next_time(schedule, times[-1]) or times[-1])
    assert [time.day for time in times] == [31, 28, 31, 30]


def test_a_schedule_starts_a_run_per_record_of_its_audience_once(cast: Cast) -> None:
    people = [contact(cast), contact(cast, name="Bob", email="bob@example.org", number="1512345679")]
    begin = timezone.now() + timedelta(hours=1)
    contact(cast, name="Ann Other", email="other@example.org", number="1512345670")
    audience = {"panel": "contact", "filter": when("name", "startsWith", "Ann")}
    schedule = {"type": "dates", "at": [begin.isoformat()], "audience": audience}
    config = {"filter": when("contact.email", "equals", "ann@example.org")}
    nodes = [node("a", "set", {"values": {"a": "{{ contact.name }}"}})]
    id = published(cast, nodes, edges(), triggerEventType="schedule", schedule=schedule, config=config)
    assert cast.key.get(f"/workflow/{id}").data["nextFireAt"] is not None
    WORK["workflow-schedules"].drain(float("inf"))
    assert runs(cast, id) == []
    with time_machine.travel(begin + timedelta(seconds=1), tick=False):
        for _ in range(2):
            WORK["workflow-schedules"].drain(float("inf"))
        work()
    assert [(run.contact_id, run.state["vars"]) for run in runs(cast, id)] == [(people[0], {"a": "Ann Example"})]
    with cast.scope():
        assert ScheduleFiring.objects.count() == 1
        assert list(RunSkip.objects.values_list("reason", "number")) == [("filter", 1)]
    assert cast.key.get(f"/workflow/{id}").data["nextFireAt"] is None
    body = {"schedule": {"type": "cron", "cron": "every day"}}
    assert cast.key.put(f"/workflow/{id}", body).data["validation"]["errors"][0]["path"].startswith("schedule")


def test_a_webhook_makes_a_contact_that_the_run_goes_on_with(cast: Cast) -> None:
    values = {
        "name": "{{ trigger.payload.name }}",
        "email": "{{ trigger.payload.mail | lower }}",
        "countryCode": "49",
        "number": "{{ trigger.payload.phone }}",
    }
    nodes = [
        node("if", "condition", {"filter": when("trigger.payload.age", "greaterThan", 17)}),
        node("make", "contact", {"action": "upsert", "values": values}),
        node("set", "set", {"values": {"who": "{{ contact.name }}"}}),
    ]
    lines = edges("if:true > make", "make > set", "make:exists > set")
    config = {"filter": when("trigger.payload.age", "greaterThan", 16)}
    id = published(cast, nodes, lines, triggerEventType="webhook", config=config)
    path = cast.key.get(f"/workflow/{id}").data["hookPath"]
    client = Client()
    for age in (16, 17, 18, 19):
        call = {"name": "Cleo", "mail": "Cleo@Example.org", "phone": "1512345670", "age": age}
        assert client.post(path, call, content_type="application/json").status_code == 200
    work()
    with cast.scope():
        made = Contact.objects.get(email="cleo@example.org")
    found = [(run.status, run.contact_id, run.state["vars"]) for run in runs(cast, id)]
    assert found == [("completed", None, {}), *[("completed", made.pk, {"who": "Cleo"})] * 2]
    assert client.post(path, "[1]", content_type="application/json").status_code == 400
    assert client.post(path + "x", {}, content_type="application/json").status_code == 404
    cast.key.post(f"/workflow/{id}/unpublish")
    assert client.post(path, {}, content_type="application/json").status_code == 404


def test_members_start_runs_for_a_selection(cast: Cast) -> None:
    nodes = [node("wait", "wait", {"for": {"amount": 1, "unit": "days"}})]
    id = published(cast, nodes, edges(), triggerEventType="manual")
    contact(cast)
    contact(cast, name="Bob", email="bob@example.org", number="1512345679")
    answer = cast.session.post(f"/workflow/{id}/enrol", {"selectAll": True}, filters={"name": "Bob"})
    assert (answer.status, answer.data) == (201, {"selectedCount": 1, "startedCount": 1}), answer.body
    answer = cast.session.post(f"/workflow/{id}/enrol", {"selectAll": True})
    assert answer.data == {"selectedCount": 2, "startedCount": 1}  # Bob has one under way
    cast.key.put(f"/workflow/{id}", {"status": "paused"})
    answer = cast.session.post(f"/workflow/{id}/enrol", {"selectAll": True})
    assert (answer.status, "is paused" in answer.body["warning"]) == (400, True)
    cast.key.put(f"/workflow/{id}", {"config": {"whilePaused": "queue"}, "status": "published"})
    cast.key.put(f"/workflow/{id}", {"status": "paused"})
    contact(cast, name="Cleo", email="cleo@example.org", number="1512345670")
    answer = cast.session.post(f"/workflow/{id}/enrol", {"selectAll": True})
    assert (answer.status, answer.data["startedCount"]) == (201, 1)
    work()
    assert "paused" in {run.status for run in runs(cast, id)}
    cast.key.put(f"/workflow/{id}", {"status": "published"})
    work()
    assert {run.status for run in runs(cast, id)} == {"waiting"}


def test_entering_a_segment_starts_a_run_and_another_segment_does_not(cast: Cast) -> None:
    ann = contact(cast, name="Ann")
    ids = []
    for name in ("Zoe", "Bob"):
        tree = when("name", "equals", name)
        ids.append(cast.key.post("/segment", {"name": name, "advancedFilters": tree}).data["_id"])
    values = {"triggerEventType": "segment.entered"}
    nodes, lines = [node("end", "set", {"values": {"a": 1}})], []
    refused = cast.key.post("/workflow", {"name": "None", "nodes": nodes, "edges": lines, **values})
    assert cast.key.post(f"/workflow/{refused.data['_id']}/publish").status == 400, "it names no segment"
    id = published(cast, nodes, lines, **values, config={"segment": ids[0]})
    for name in ("Bob", "Zoe"):
        cast.key.put(f"/contact/{ann}", {"formData": {"name": name}})
        work()
        work()
    (run,) = runs(cast, id)
    assert run.contact_id == ann
