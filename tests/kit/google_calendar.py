"""A stand-in for Google's calendar, beside its log-in (tests/kit/google.py): events, video calls, busy times.

It goes wrong on demand: `script` has the next answers to calls of the calendar, and those that `sends` are done
nevertheless, as when the answer is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.kit.google import Google
from tests.kit.mail_vendors import Asked, Fault, VendorServer, vendor_server

EVENTS = "/calendar/v3/calendars/primary/events"


@dataclass
class CalendarServer(VendorServer):
    """The primary calendar of whoever asks."""

    events: dict[str, dict[str, Any]] = field(default_factory=dict)
    written: list[tuple[str, str]] = field(default_factory=list)
    """Method and id of each write that was done."""
    busy: list[dict[str, str]] = field(default_factory=list)
    late_links: int = 0
    """How often a video call is said to be on its way before its link is there."""

    @property
    def calls(self) -> list[tuple[str, str]]:
        """Method and path of each call of the calendar, in their order."""
        return [(one.method, urlsplit(one.path).path) for one in self.asked if one.path.startswith("/calendar/")]

    def reset(self) -> CalendarServer:
        self.asked.clear()
        self.script, self.events, self.written, self.busy, self.late_links = [], {}, [], [], 0
        self.google = Google()
        return self

    def next(self, asked: Asked) -> Fault:
        self.asked.append(asked)
        path = urlsplit(asked.path).path
        if path.startswith("/o/oauth2/v2/auth"):  # whoever opens it allows it
            return Fault(302, "", {"Location": self.google.leads_back(f"{self.url}{asked.path}")})
        if not path.startswith("/calendar/"):
            return Fault(*(self.google.answer(asked) or (404, {})))
        if asked.headers.get("authorization", "").removeprefix("Bearer ") not in self.google.access:
            return Fault(401, {"error": {"code": 401}})
        fault = self.script.pop(0) if self.script else None
        if fault is not None and not fault.sends:
            return fault
        done = Fault(*self._done(asked, path))
        return fault or done

    def _done(self, asked: Asked, path: str) -> tuple[int, Any]:
        body = json.loads(asked.text) if asked.body else {}
        if path.endswith("/freeBusy"):
            return 200, {"calendars": {"primary": {"busy": self.busy}}}
        id = path.removeprefix(EVENTS).strip("/") or body.get("id", "")
        known = self.events.get(id)
        if asked.method == "GET":
            return (200, self._shown(id)) if known else (404, {})
        if asked.method == "POST" and known:
            return 409, {"error": {"code": 409, "errors": [{"reason": "duplicate"}]}}
        if asked.method != "POST" and (known is None or (asked.method == "DELETE" and known["status"] == "cancelled")):
            return (410, {}) if known else (404, {})
        self.written.append((asked.method, id))
        if asked.method == "DELETE":
            self.events[id] = {**(known or {}), "status": "cancelled"}
            return 204, ""
        self.events[id] = {**(known or {}), **body, "id": id}
        return 200, self._shown(id)

    def _shown(self, id: str) -> dict[str, Any]:
        found = self.events[id]
        if "conferenceData" not in found:
            return found
        if self.late_links:
            self.late_links -= 1
            return {**found, "conferenceData": {"createRequest": {"status": {"statusCode": "pending"}}}}
        entry = {"entryPointType": "video", "uri": f"https://meet.google.com/{id[-10:]}"}
        return {**found, "conferenceData": {"entryPoints": [{"entryPointType": "phone", "uri": "tel:+1"}, entry]}}


@contextmanager
def calendar_server() -> Iterator[CalendarServer]:
    """Run the stand-in."""
    with vendor_server(CalendarServer) as found:
        assert isinstance(found, CalendarServer)
        yield found
