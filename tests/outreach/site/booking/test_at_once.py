"""Visitors who take the same time at once: one gets it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.tenancy import unscoped
from crm.models import Meeting
from outreach.models import Booking
from outreach.site.booking.reservations import Visitor, book, move
from tests.crm.leads.helpers import member
from tests.kit.cast import make_cast
from tests.kit.threads import at_once
from tests.outreach.site.booking.helpers import make_page, stored

pytestmark = pytest.mark.django_db(transaction=True)
TAKEN = "BookingSlotTaken_409"


def tomorrow(hour: int = 9) -> datetime:
    return (timezone.now() + timedelta(days=2)).astimezone(UTC).replace(hour=hour, minute=0, second=0, microsecond=0)


def test_one_of_several_gets_it() -> None:
    cast = make_cast()
    page, at = stored(cast, make_page(cast)), tomorrow()

    def book_slot(number: int) -> Any:
        visitor = Visitor(f"Visitor {number}", f"v{number}@example.org", "", {})
        return book(page, at=at, visitor=visitor, sent_id=f"{number:024}").pk

    found = at_once(4, cast.company.pk, book_slot)
    assert sorted(one == TAKEN for one in found) == [False, True, True, True]
    with cast.scope():
        assert (Booking.objects.count(), Meeting.objects.count()) == (1, 1)
        [one] = Booking.objects.select_related("page", "meeting", "member")
    others = [book_at(cast, page, tomorrow(10), "b" * 24), one]
    moved = at_once(2, cast.company.pk, lambda n: move(others[n], at=at + timedelta(minutes=30)))
    assert sorted(moved, key=str) == [TAKEN, None] or sorted(moved, key=str) == [None, TAKEN]


def book_at(cast: Any, page: Any, at: datetime, sent_id: str) -> Booking:
    with cast.scope():
        made = book(page, at=at, visitor=Visitor("Bo", "bo@example.org", "", {}), sent_id=sent_id)
        found: Booking = Booking.objects.select_related("page", "meeting", "member").get(pk=made.pk)
        return found


def test_a_team_of_two_takes_two() -> None:
    cast = make_cast()
    with cast.scope():
        people = [member(user__email=f"p{number}@example.com") for number in range(2)]
    team = cast.key.post("/team", {"name": "Sales", "members": [one.pk for one in people]}).data["_id"]
    page, at = stored(cast, make_page(cast, team=team)), tomorrow()

    def book_slot(number: int) -> Any:
        visitor = Visitor("Ann", f"v{number}@example.org", "", {})
        return book(page, at=at, visitor=visitor, sent_id=f"{number:024}").member_id

    found = at_once(4, cast.company.pk, book_slot)
    assert sorted(one for one in found if one != TAKEN) == sorted(one.pk for one in people)


def test_the_same_page_sent_at_once_counts_once() -> None:
    cast = make_cast()
    page, at = stored(cast, make_page(cast)), tomorrow()
    visitor = Visitor("Ann", "ann@example.org", "", {})
    found = at_once(4, cast.company.pk, lambda _: book(page, at=at, visitor=visitor, sent_id="a" * 24).pk)
    assert len({one for one in found if one != TAKEN}) == 1
    with unscoped(reason="test: all bookings"):
        assert Booking.objects.count() == 1


def test_somebody_else_by_the_same_page_gets_a_booking_of_their_own() -> None:
    cast = make_cast()
    page = stored(cast, make_page(cast))
    with cast.scope():
        first, second = (
            book(page, at=tomorrow(hour), visitor=Visitor(name, f"{name}@example.org", "", {}), sent_id="a" * 24)
            for name, hour in (("ann", 9), ("bo", 10))
        )
    assert first.token != second.token
    assert (second.name, second.meeting.starts_at) == ("bo", tomorrow(10))
