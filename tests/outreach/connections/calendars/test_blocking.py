"""What stands in a connected calendar keeps times from being booked, and a calendar that is away keeps none."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from outreach.connections.calendars import busy_times
from outreach.models import Booking, CalendarConnection
from outreach.site.booking import public
from tests.kit.cast import Cast
from tests.kit.google_calendar import CalendarServer
from tests.kit.mail_vendors import Fault
from tests.outreach.helpers import work
from tests.outreach.site.booking.helpers import book, make_page


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(public, "TOO_FAST", timedelta(0))
    monkeypatch.setattr(busy_times, "FRESH", timedelta(0))


def count(cast: Cast) -> int:
    with cast.scope():
        return int(Booking.objects.count())


def test_it_is_asked_again_when_something_is_booked(cast: Cast, connected: CalendarServer) -> None:
    page = make_page(cast, horizonDays=90, noticeMinutes=24 * 60)
    work("calendar-busy")
    [nine, half, *_] = offered(cast, page)
    connected.busy = [{"start": nine, "end": half}]
    taken = book(page, nine)
    assert (taken.status_code, "just taken" in taken.content.decode(), count(cast)) == (409, True, 0)
    assert offered(cast, page)[0] == half
    assert (book(page, half).status_code, count(cast)) == (303, 1)


def test_a_calendar_that_is_away_or_slow_keeps_nobody_from_booking(
    cast: Cast, connected: CalendarServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = make_page(cast, horizonDays=90, noticeMinutes=24 * 60)
    nine, _, ten, *_ = offered(cast, page)
    connected.script = [Fault(503, {})]
    assert book(page, nine).status_code == 303
    monkeypatch.setattr(busy_times, "PATIENCE", 0.2)
    connected.script = [Fault(200, {}, seconds=0.6)]
    assert book(page, ten).status_code == 303
    assert count(cast) == 2
    with cast.scope():
        assert CalendarConnection.objects.get().error != ""


def offered(cast: Cast, page: dict[str, Any]) -> list[str]:
    """The first times that the page offers."""
    answer = cast.key.get(f"/booking-page/{page['_id']}/slots")
    assert answer.status == 200, answer.body
    return [one["startsAt"].replace("Z", "+00:00").replace(".000", "") for one in answer.data["slots"]]
