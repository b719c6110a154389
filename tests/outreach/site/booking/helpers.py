"""Booking pages, and visitors of theirs."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django.test import Client

from outreach.models import BookingPage
from tests.kit.cast import Cast

NOW = "2027-03-01T06:00:00Z"
"""A Monday, when the tests are."""
ALL_WEEK = [{"day": day, "from": "09:00", "to": "11:00"} for day in range(1, 8)]
VISITOR = {"name": "Ann Ash", "email": "ann@example.org", "phone": "+49 151 12345678"}


def make_page(cast: Cast, **values: Any) -> dict[str, Any]:
    """Make a page of the cast's owner that offers 9, 9:30, 10 and 10:30 each day, UTC."""
    usual = {
        "name": "Intro",
        "days": ALL_WEEK,
        "timezone": "UTC",
        "noticeMinutes": 0,
        "horizonDays": 14,
        "kind": "offline",
    }
    answer = cast.key.post("/booking-page", {**usual, **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def stored(cast: Cast, page: dict[str, Any]) -> BookingPage:
    with cast.scope():
        found: BookingPage = BookingPage.objects.get(pk=page["_id"])
        return found


def path_of(page: dict[str, Any]) -> str:
    return urlsplit(page["url"]).path


def slots(cast: Cast, page: dict[str, Any], day: str = "2027-03-02") -> list[str]:
    """The times that the page offers on a day, UTC."""
    query = {"from": f"{day}T00:00:00Z", "to": f"{day}T23:59:00Z"}
    answer = cast.key.get(f"/booking-page/{page['_id']}/slots", **query)
    assert answer.status == 200, answer.body
    return [one["startsAt"][11:16] for one in answer.data["slots"]]


def open_at(page: dict[str, Any], at: str, query: str = "") -> dict[str, str]:
    """Open the page at a time, and return the hidden values of its form."""
    shown = Client().get(f"{path_of(page)}?at={at.replace('+', '%2B')}{query}")
    assert shown.status_code == 200
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown.content.decode()))


def book(page: dict[str, Any], /, at: str = "2027-03-02T09:00:00+00:00", query: str = "", **given: Any) -> Any:
    """Book a time, as a visitor does."""
    hidden = open_at(page, at, query)
    return Client().post(path_of(page), {"at": at, **hidden, **VISITOR, **given})
