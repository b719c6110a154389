"""What tests of meetings need again and again."""

from __future__ import annotations

from typing import Any

from icalendar import Calendar, Event

from accounts.models import Mail
from core.models import Event as DomainEvent
from core.tenancy import unscoped
from tests.kit.cast import Cast

MISSING = "0" * 24
START = "2090-03-09T14:00:00Z"
GOOD = {"title": "x", "startsAt": START, "durationMinutes": 30}


def new_meeting(cast: Cast, **body: Any) -> dict[str, Any]:
    """Create a meeting of an hour, far ahead, through the API."""
    length = {} if "endsAt" in body else {"durationMinutes": 60}
    answer = cast.key.post("/meeting", {"title": "Demo", "startsAt": START, **length, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def mails(kind: str = "meeting_") -> list[Mail]:
    """Return the waiting mails of meetings, in the order in which they were written."""
    with unscoped(reason="test: mails"):
        return list(Mail.objects.filter(kind__startswith=kind).order_by("id"))


def sent() -> list[tuple[str, str]]:
    """Return kind and address of each waiting mail, and delete all of them."""
    found = [(mail.kind.removeprefix("meeting_"), mail.to) for mail in mails()]
    with unscoped(reason="test: mails"):
        Mail.objects.all().delete()
    return found


def event_of(text: str) -> tuple[str, Event]:
    """Return method and event of an iCalendar file, as another program reads them."""
    calendar = Calendar.from_ical(text)
    [event] = calendar.walk("VEVENT")
    assert (calendar["VERSION"], calendar["PRODID"]) == ("2.0", "-//Leadwright//Meetings//EN")
    return str(calendar["METHOD"]), event


def asked(event: Event) -> list[str]:
    """Return the addresses of the event's attendees."""
    found = event.get("ATTENDEE", [])
    return [str(one).removeprefix("mailto:") for one in (found if isinstance(found, list) else [found])]


def events(cast: Cast) -> list[tuple[str, Any]]:
    with cast.scope():
        return list(
            DomainEvent.objects.filter(kind__startswith="meeting.").order_by("id").values_list("kind", "payload")
        )
