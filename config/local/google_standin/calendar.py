"""The calendar of the stand-in. It has other events each week, and stores the events that the service writes."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

from core.types import JsonObject

EVENTS = "/calendar/v3/calendars/primary/events"
OWN = ((0, time(10), time(11)), (1, time(13), time(14, 30)), (2, time(9), time(9, 45)), (3, time(15), time(16)))
"""Weekday, start and end (UTC) of the calendar's weekly events: the team, a dentist, a delivery, a course."""
MAX_DAYS, MAX_EVENTS = 400, 5000


class Calendar:
    """Events by their ids, and the busy times of a person."""

    def __init__(self) -> None:
        self.events: dict[str, JsonObject] = {}

    def answer(self, method: str, path: str, body: JsonObject) -> tuple[int, Any]:
        """Answer a request of the calendar's API."""
        if path.endswith("/freeBusy"):
            return 200, {"calendars": {"primary": {"busy": self.busy(body)}}}
        if not path.startswith(EVENTS):
            return 404, {}
        id = path.removeprefix(EVENTS).strip("/") or str(body.get("id", ""))
        event = self.events.get(id)
        if method == "GET":
            return (200, _event_data(event)) if event else (404, {})
        if method == "POST" and event:
            return 409, {"error": {"code": 409, "errors": [{"reason": "duplicate"}]}}
        if method != "POST" and event is None:
            return 404, {}
        if method == "DELETE":
            is_gone = event is not None and event.get("status") == "cancelled"
            self.events[id] = {**(event or {}), "status": "cancelled"}
            return (410, {}) if is_gone else (204, None)
        self.events[id] = {**(event or {}), **body, "id": id}
        while len(self.events) > MAX_EVENTS:
            del self.events[next(iter(self.events))]
        return 200, _event_data(self.events[id])

    def busy(self, body: JsonObject) -> list[dict[str, str]]:
        """Return when the calendar is busy in the asked time."""
        start, end = (datetime.fromisoformat(body[name]) for name in ("timeMin", "timeMax"))
        spans = []
        day = start.astimezone(UTC).date()
        for _ in range(min((end - start).days + 2, MAX_DAYS)):
            for weekday, begins, ends in OWN:
                if day.weekday() == weekday:
                    spans.append(tuple(datetime.combine(day, clock, UTC) for clock in (begins, ends)))
            day += timedelta(days=1)
        for event in self.events.values():
            times = [(event.get(name) or {}).get("dateTime") for name in ("start", "end")]
            if event.get("status") != "cancelled" and all(times):
                spans.append(tuple(datetime.fromisoformat(str(text)) for text in times))
        inside = sorted(span for span in spans if span[0] < end and span[1] > start)
        return [{"start": begins.isoformat(), "end": ends.isoformat()} for begins, ends in inside]


def _event_data(event: JsonObject) -> JsonObject:
    if "conferenceData" not in event:
        return event
    entry = {"entryPointType": "video", "uri": f"https://meet.example.org/{event['id'][-10:]}"}
    return {**event, "conferenceData": {"entryPoints": [entry]}}
