"""A stand-in for Google's calendar, and members who have connected theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.kit.cast import Caller, Cast
from tests.kit.google import CLIENT, CLIENT_SECRET
from tests.kit.google_calendar import CalendarServer, calendar_server


@pytest.fixture(scope="session")
def _calendar() -> Iterator[CalendarServer]:
    with calendar_server() as found:
        yield found


@pytest.fixture
def google(_calendar: CalendarServer, settings: Any) -> CalendarServer:
    settings.VENDOR_BASE_URLS = {"gmail": _calendar.url}
    settings.OUTBOUND_PRIVATE_HOSTS = ["127.0.0.0/8"]
    settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = CLIENT, CLIENT_SECRET
    return _calendar.reset()


def connect(google: CalendarServer, caller: Caller) -> Any:
    """Connect the caller's calendar, as their browser does."""
    begun = caller.post("/my-calendar/connection/authorize")
    assert begun.status == 201, begun.body
    answer = caller.post("/my-calendar/connection", google.google.consent(begun.data["url"]))
    assert answer.status == 201, answer.body
    return answer.data


@pytest.fixture
def connected(google: CalendarServer, cast: Cast) -> CalendarServer:
    """The calendar of the maker of the cast's key, who is its owner."""
    connect(google, cast.key)
    google.asked.clear()
    return google
