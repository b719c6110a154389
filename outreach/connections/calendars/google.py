"""Google's calendar: events and busy times, by a thin client on the guarded transport.

Its log-in is Gmail's (outreach.connections.mail_vendors.google). Of Google's errors only the status is repeated.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from django.utils.dateparse import parse_datetime

from core.outbound_http import HttpFailed, send_request
from core.types import Values
from outreach.connections.calendars.models import CalendarConnection
from outreach.connections.mail_vendors.access import access_token
from outreach.connections.mail_vendors.google import google_address
from outreach.connections.smtp.outcome import SmtpError

KEY, NAME = "google-calendar", "Google Calendar"
API = "https://www.googleapis.com/"
EVENTS_SCOPE = "https://www.googleapis.com/auth/calendar.events"
BUSY_SCOPE = "https://www.googleapis.com/auth/calendar.freebusy"
SCOPES = (EVENTS_SCOPE, BUSY_SCOPE)
EVENTS = "calendar/v3/calendars/primary/events"
SECONDS = 10.0


class CalendarFailed(Exception):
    """A request to Google failed. `detail` is for people.

    `temporary`: another try may succeed. `refused`: the log-in is no longer accepted.
    """

    def __init__(self, detail: str, *, temporary: bool = True, refused: bool = False) -> None:
        super().__init__(detail)
        self.detail = detail
        self.temporary = temporary
        self.refused = refused


@dataclass(frozen=True)
class GoogleEvent:
    """An event as Google has it; `link` is empty while its video call is not ready."""

    link: str = ""


def event_id(meeting: str) -> str:
    """Return the id of a meeting's event: Google takes digits and the letters a to v."""
    return f"lead{meeting}"


def write_event(connection: CalendarConnection, meeting: str, body: Values, *, known: bool) -> GoogleEvent:
    """Write an event: change the one that is `known`, or insert it. Done again, it changes nothing.

    Raises CalendarFailed.
    """
    inserting = {**body, "id": event_id(meeting)}
    for _ in range(2):
        if known:
            status, event = _request(connection, "PATCH", _event(meeting), body)
            if status not in (404, 410):
                return _read_event(status, event)
            known = False
        status, event = _request(connection, "POST", EVENTS, inserting)
        if status != 409:
            return _read_event(status, event)
        known = True  # an earlier try has arrived after all
    raise CalendarFailed("Google says that the event is there, and that it is not.")


def delete_event(connection: CalendarConnection, meeting: str) -> None:
    """Delete an event; one that is gone is deleted. Raises CalendarFailed."""
    status, _ = _request(connection, "DELETE", _event(meeting))
    if status not in (204, 200, 404, 410):
        raise _status_error(status)


def read_link(connection: CalendarConnection, meeting: str) -> str:
    """Return the link of an event's video call; empty while it is not ready. Raises CalendarFailed."""
    status, event = _request(connection, "GET", _event(meeting))
    return _read_event(status, event).link


def busy_between(
    connection: CalendarConnection, start: datetime, end: datetime, seconds: float = SECONDS
) -> list[list[str]]:
    """Return pairs of times between which the calendar is busy. Raises CalendarFailed."""
    query = {"timeMin": start.isoformat(), "timeMax": end.isoformat(), "items": [{"id": "primary"}]}
    status, answer = _request(connection, "POST", "calendar/v3/freeBusy", query, seconds=seconds)
    if status != 200:
        raise _status_error(status)
    calendars = answer.get("calendars")
    primary = calendars.get("primary") if isinstance(calendars, dict) else None
    if not isinstance(primary, dict) or primary.get("errors"):
        raise CalendarFailed("Google's answer about busy times cannot be read.")
    pairs = []
    for period in primary.get("busy") or ():
        begins, ends = (_moment(period.get(name)) if isinstance(period, dict) else None for name in ("start", "end"))
        if begins is None or ends is None:
            raise CalendarFailed("Google's answer about busy times cannot be read.")
        if begins < ends:
            pairs.append([begins.isoformat(), ends.isoformat()])
    return pairs


def _moment(text: Any) -> datetime | None:
    try:
        moment = parse_datetime(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None


def _event(meeting: str) -> str:
    return f"{EVENTS}/{quote(event_id(meeting), safe='')}"


def _read_event(status: int, event: Values) -> GoogleEvent:
    if status not in (200, 201):
        raise _status_error(status)
    if not event.get("id"):
        raise CalendarFailed("Google's answer cannot be read.")
    conference = event.get("conferenceData")
    entries = conference.get("entryPoints") if isinstance(conference, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and entry.get("entryPointType") == "video":
            return GoogleEvent(_link(entry.get("uri")))
    return GoogleEvent(_link(event.get("hangoutLink")))


def _link(text: Any) -> str:
    """Return an address for people to open; nothing but https."""
    is_one = isinstance(text, str) and text.startswith("https://") and len(text) <= 1000 and text.isprintable()
    return text if is_one and " " not in text else ""


def _status_error(status: int) -> CalendarFailed:
    # 403 is Google's answer to exceeded quotas too, so it is retried; only 401 ends the log-in.
    if status == 401:
        return CalendarFailed("Google takes the log-in no more.", refused=True)
    temporary = status >= 500 or status in (403, 408, 429)
    return CalendarFailed(f"Google answered {status}.", temporary=temporary)


def _request(
    connection: CalendarConnection, method: str, path: str, body: Any = None, *, seconds: float = SECONDS
) -> tuple[int, Values]:
    """Ask once, or twice where the token has ended before its time. Raises CalendarFailed."""
    query = {"conferenceDataVersion": 1, "sendUpdates": "none"} if path.startswith(EVENTS) and method != "GET" else {}
    url = google_address(API, f"/{path}") + (f"?{urlencode(query)}" if query else "")
    content = None if body is None else json.dumps(body).encode()
    token = ""
    for _ in range(2):
        try:
            token = access_token(connection, instead_of=token)
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            answer = send_request(method, url, seconds=seconds, headers=headers, body=content)
        except SmtpError as error:
            raise CalendarFailed(error.detail, temporary=error.temporary, refused=error.stage == "auth") from None
        except HttpFailed as failed:
            raise CalendarFailed(failed.detail) from None
        if answer.status != 401:
            break
    try:
        parsed = json.loads(answer.body) if answer.body else {}
    except ValueError:
        parsed = {}
    return answer.status, parsed if isinstance(parsed, dict) else {}
