"""Schedules by a date of each record."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import time_machine

from core.jobs import WORK
from tests.kit.cast import Cast, make_cast
from tests.kit.rows import kept_for_module
from tests.workflows.helpers import contact, edges, node, published, runs, when, work
from workflows.graphs.settings import FieldDate, Schedule
from workflows.schedules.times import dates_of, due_times, next_time

NODES = [node("a", "set", {"values": {"a": 1}})]
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture(scope="module")
def house(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        yield make_cast()


@pytest.fixture
def cast(house: Cast, db: None) -> Cast:
    return house


def at(day: str, hour: int = 12) -> datetime:
    return datetime.fromisoformat(f"{day}T{hour:02}:00:00+00:00")


def by_field(name: str, **values: Any) -> dict[str, Any]:
    extra = {key: values.pop(key) for key in ("audience", "misfire", "timezone") if key in values}
    return {"type": "field", "field": {"name": name, **values}, "timezone": "UTC", **extra}


def fire() -> None:
    WORK["workflow-schedules"].drain(float("inf"))


def test_a_record_starts_once_on_its_day_by_its_value_then(cast: Cast) -> None:
    made = cast.key.post("/custom-field", {"name": "Renewal", "fieldType": "date", "panel": "contact"})
    key = made.data["uniqueFieldID"]
    with time_machine.travel(at("2027-05-01"), tick=False) as clock:
        due, moved, late, other = (
            contact(cast, name=f"P{n}", email=f"p{n}@example.org", number=f"151234567{n}", **{key: value})
            for n, value in enumerate(["2027-05-10", "2027-05-10", "2027-05-09", "2027-05-10"])
        )
        audience = {"panel": "contact", "filter": when("name", "notEquals", "P3")}
        schedule = by_field(key, offset=-3, at="09:30", audience=audience)
        id = published(cast, NODES, edges(), triggerEventType="schedule", schedule=schedule)
        assert cast.key.get(f"/workflow/{id}").data["nextFireAt"] == "2027-05-02T09:30:00.000Z"
        cast.key.put(f"/contact/{moved}", {"formData": {key: "2027-05-11"}})  # before it is due: another day
        clock.move_to(at("2027-05-07"))
        fire()  # six days at once: none of them is left out
        assert sorted(run.contact_id or "" for run in runs(cast, id)) == sorted([due, late])
        cast.key.put(f"/contact/{late}", {"formData": {key: "2027-05-10"}})  # its time has passed today
        cast.key.put(f"/contact/{due}", {"formData": {key: "2027-05-12"}})  # after it was due: due again
        work()
        fire()
        assert len(runs(cast, id)) == 2
        clock.move_to(at("2027-05-09"))
        fire()
        assert sorted(run.contact_id or "" for run in runs(cast, id)) == sorted([due, late, moved, due])
        assert other not in {run.contact_id for run in runs(cast, id)}


def test_a_day_is_the_zones_and_comes_once_when_clocks_change() -> None:
    schedule = Schedule.model_validate(by_field("createdAt", at="02:30") | {"timezone": "Europe/Berlin"})
    spring, autumn = (next_time(schedule, at(day)) for day in ("2027-03-27", "2027-10-30"))
    assert spring == datetime(2027, 3, 28, 1, tzinfo=UTC)
    assert autumn == datetime(2027, 10, 31, 0, 30, tzinfo=UTC)
    assert next_time(schedule, autumn) == datetime(2027, 11, 1, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(("misfire", "days"), [("once", 4), ("all", 4), ("skip", 0)])
def test_days_that_were_missed(misfire: str, days: int) -> None:
    schedule = Schedule.model_validate(by_field("createdAt", misfire=misfire))
    found, following = due_times(schedule, at("2027-05-01", 9), at("2027-05-04"))
    assert (len(found), following) == (days, at("2027-05-05", 9))


def test_birthdays_come_each_year_and_those_of_a_leap_day_too() -> None:
    field = FieldDate(name="birthday", yearly=True)
    found = dates_of(field, date(2027, 2, 28))
    assert {date(2027, 2, 28), date(1980, 2, 29), date(1980, 2, 28)} <= set(found)
    assert date(1981, 3, 1) not in found
    assert date(1980, 2, 29) not in dates_of(field, date(2028, 2, 28))
    assert date(1980, 2, 29) in dates_of(field, date(2028, 2, 29))
    assert dates_of(FieldDate(name="x", offset=5), date(2027, 3, 3)) == [date(2027, 2, 26)]
    assert dates_of(FieldDate(name="x", offset=3650), date(1, 1, 1)) == []
    day = timedelta(days=1)
    assert all(date(1980, 5, 4) in dates_of(field, date(year, 5, 4)) for year in range(1980, 2040))
    assert date(1980, 5, 4) not in dates_of(field, date(2027, 5, 4) + day)


@pytest.mark.parametrize(
    ("schedule", "path"),
    [
        (by_field("surprise"), "schedule.field.name"),
        (by_field("name"), "schedule.field.name"),
        (by_field("createdAt", at="9"), "schedule.field.at"),
        (by_field("createdAt", at="09:00Z"), "schedule.field.at"),
        ({"type": "field"}, "schedule"),
        (by_field("createdAt", audience={"panel": "lead", "filter": {}}), "schedule"),
        (by_field("createdAt", audience={"filter": when("surprise", "equals", 1)}), "schedule.audience.filter"),
    ],
)
def test_what_cannot_be_due_is_named(cast: Cast, schedule: dict[str, Any], path: str) -> None:
    body = {"name": "Bad", "triggerEventType": "schedule", "nodes": NODES, "edges": [], "schedule": schedule}
    answer = cast.key.post("/workflow", body)
    assert answer.status == 201, answer.body
    assert any(error["path"].startswith(path) for error in answer.data["validation"]["errors"]), answer.data
