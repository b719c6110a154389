"""The times that a page offers."""

from __future__ import annotations

from typing import Any

import pytest
import time_machine
from django.test import Client

from core.tenancy import unscoped
from outreach.models import CalendarConnection
from tests.crm.leads.helpers import member
from tests.kit.cast import Cast
from tests.outreach.site.booking.helpers import ALL_WEEK, VISITOR, book, make_page, open_at, path_of, slots

pytestmark = pytest.mark.usefixtures("monday")
EVERY = ["09:00", "09:30", "10:00", "10:30"]


def test_hours_notice_and_horizon(cast: Cast, monday: time_machine.Coordinates) -> None:
    page = make_page(cast, noticeMinutes=180 + 60, horizonDays=3)
    assert slots(cast, page) == EVERY
    assert slots(cast, page, "2027-03-01") == ["10:00", "10:30"]  # it is 06:00, four hours before
    assert slots(cast, page, "2027-03-03") == EVERY
    assert slots(cast, page, "2027-03-04") == []
    assert slots(cast, page, "2027-02-28") == []
    closed = {"days": [{"day": 1, "from": "09:00", "to": "09:45"}]}
    assert cast.key.put(f"/booking-page/{page['_id']}", closed).status == 200
    assert slots(cast, page) == []


@pytest.mark.usefixtures("quick")
def test_a_booking_may_go_over_midnight(cast: Cast) -> None:
    night = [{"day": 2, "from": "22:00", "to": "24:00"}, {"day": 3, "from": "00:00", "to": "02:00"}]
    page = make_page(cast, days=night, durationMinutes=60, stepMinutes=30)
    assert slots(cast, page) == ["22:00", "22:30", "23:00", "23:30"]
    assert slots(cast, page, "2027-03-03") == ["00:00", "00:30", "01:00"]
    assert book(page, "2027-03-02T23:30:00+00:00").status_code == 303
    assert slots(cast, page) == ["22:00", "22:30"]
    assert slots(cast, page, "2027-03-03") == ["00:30", "01:00"]


def test_meetings_keep_times_and_cancelled_ones_do_not(cast: Cast) -> None:
    page = make_page(cast, bufferBefore=10, bufferAfter=5)
    body = {"title": "x", "startsAt": "2027-03-02T09:25:00Z", "durationMinutes": 10}
    made = cast.key.post("/meeting", {**body, "organizer": cast.owner.pk}).data["_id"]
    assert slots(cast, page) == ["10:00", "10:30"]
    cast.key.put(f"/meeting/{made}", {"startsAt": "2027-03-02T11:04:00Z"})
    assert slots(cast, page) == ["09:00", "09:30", "10:00"]
    cast.key.delete("/meeting", {"ids": [made]})
    assert slots(cast, page) == EVERY
    other = cast.key.post("/meeting", {**body, "organizer": cast.narrow.pk}).data["_id"]
    assert slots(cast, page) == EVERY
    cast.key.put(f"/meeting/{other}", {"attendees": [{"member": cast.owner.pk}]})
    assert slots(cast, page) == ["10:00", "10:30"]


@pytest.mark.usefixtures("quick")
def test_what_is_booked_keeps_what_stays_free_around_it(cast: Cast) -> None:
    page, other = make_page(cast, bufferAfter=45), make_page(cast, name="Short")
    assert book(page).status_code == 303
    assert slots(cast, other) == ["10:30"]
    assert slots(cast, page) == ["10:30"]


@pytest.mark.usefixtures("quick")
def test_at_most_so_many_a_day(cast: Cast) -> None:
    page = make_page(cast, mostPerDay=1)
    assert book(page).status_code == 303
    assert (slots(cast, page), slots(cast, page, "2027-03-03")) == ([], EVERY)


def test_a_connected_calendar_keeps_times(cast: Cast) -> None:
    page = make_page(cast)
    busy = [["2027-03-02T09:10:00+00:00", "2027-03-02T09:20:00+00:00"]]
    with cast.scope():
        CalendarConnection.objects.create(member=cast.owner, is_active=True, busy=busy)
    assert slots(cast, page) == EVERY[1:]
    with unscoped(reason="test: it is disconnected"):
        CalendarConnection.objects.update(is_active=False)
    assert slots(cast, page) == EVERY


def test_own_hours_are_the_pages_where_it_has_none(cast: Cast) -> None:
    page = make_page(cast, days=[])
    hours = {"timezone": "America/New_York", "days": [{"day": 2, "from": "09:00", "to": "10:00"}]}
    assert cast.key.put("/my-calendar/hours", {**hours, "away": []}).status == 200
    assert slots(cast, page) == ["14:00", "14:30"]
    away = [{"from": "2027-03-02", "to": "2027-03-02"}]
    assert cast.key.put("/my-calendar/hours", {"away": away}).status == 200
    assert slots(cast, page) == []
    shown = cast.key.get("/my-calendar/hours").data
    assert shown == {**hours, "away": away, "updatedAt": shown["updatedAt"]}


@pytest.mark.usefixtures("quick")
def test_a_team_takes_turns(cast: Cast) -> None:
    with cast.scope():
        people = [member(user__name=name, user__email=f"{name}@example.com") for name in ("cal", "dee")]
    team = cast.key.post("/team", {"name": "Sales", "members": [one.pk for one in people]}).data["_id"]
    page = make_page(cast, team=team)
    assert page["member"] is None
    times = ("2027-03-02T09:00:00+00:00", "2027-03-02T09:00:00+00:00", "2027-03-02T10:00:00+00:00")
    late = open_at(page, times[0])
    for time in times:
        assert book(page, time).status_code == 303
    with_whom = [one["member"]["_id"] for one in cast.key.get("/booking", sortOrder="asc").data]
    assert (sorted(with_whom[:2]), with_whom[2]) == (sorted(one.pk for one in people), with_whom[0])
    assert "09:00" not in slots(cast, page)
    taken = Client().post(path_of(page), {**late, **VISITOR})
    assert (taken.status_code, "just taken" in taken.content.decode()) == (409, True)
    cast.key.put(f"/team/{team}", {"members": [people[1].pk]})
    left = {"09:30", "10:30"} if with_whom[2] == people[1].pk else {"09:30", "10:00", "10:30"}
    assert set(slots(cast, page)) == left


def test_queries_do_not_grow_with_members(cast: Cast, django_assert_max_num_queries: Any) -> None:
    from outreach.site.booking.slots import booking_window, free_slots
    from tests.outreach.site.booking.helpers import stored

    with cast.scope():
        people = [member(user__email=f"p{number}@example.com") for number in range(6)]
    team = cast.key.post("/team", {"name": "Sales", "members": [one.pk for one in people]}).data["_id"]
    page = stored(cast, make_page(cast, team=team, days=ALL_WEEK))
    with cast.scope(), django_assert_max_num_queries(9):
        assert len(free_slots(page, *booking_window(page))) == 14 * 4
