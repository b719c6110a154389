"""The calendar: four weeks of meetings by day, and a form for a new one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime

from core.text.timezones import zone_of
from core.web.forms import Field, Form, Option
from core.web.pages import MenuItem, Page

DAYS = 28
MOST = 200
LENGTHS = [Option("15", "15 minutes"), Option("30", "30 minutes"), Option("60", "1 hour"), Option("120", "2 hours")]


class Calendar(Page):
    path = name = "calendar"
    title = "Calendar"
    template = "web/meetings/calendar.html"
    module = "meeting"
    menu = MenuItem("Calendar", "calendar", 44)

    @cached_property
    def zone(self) -> Any:
        return zone_of(self.reader.formats.timezone)

    @property
    def today(self) -> date:
        return timezone.now().astimezone(self.zone).date()

    @cached_property
    def first(self) -> date:
        """The first day shown. What is no day of a calendar is today."""
        try:
            asked = parse_date(self.request.GET.get("from", ""))
        except ValueError:
            asked = None
        return asked if asked and 1970 < asked.year < 9000 else self.today

    def start_of(self, day: date) -> str:
        """Return the moment in which the day begins where the reader is."""
        return datetime.combine(day, time(), self.zone).isoformat()

    def show(self) -> Mapping[str, Any]:
        last = self.first + timedelta(days=DAYS)
        mine = self.request.GET.get("whose") != "all"
        begun = [
            {"field": "endsAt", "operator": "after", "value": self.start_of(self.first)},
            {"field": "startsAt", "operator": "before", "value": self.start_of(last)},
            {"field": "status", "operator": "equals", "value": "scheduled"},
        ]
        query: dict[str, Any] = {"advancedFilters": {"operator": "and", "conditions": begun}}
        if mine:
            query["filters"] = {"member": self.actor.member_id}
        found = self.read("meeting", {**query, "sortBy": "startsAt", "sortOrder": "asc", "p": "1", "n": str(MOST)})
        days: dict[date, list[Any]] = {self.today: []} if self.first <= self.today < last else {}
        for one in found.data:
            starts = parse_datetime(one["startsAt"])
            day = max(starts.astimezone(self.zone).date(), self.first) if starts else self.first
            days.setdefault(day, []).append(one)
        whose = {} if mine else {"whose": "all"}
        return {
            "days": [(day, f"{day:%A}", meetings, day == self.today) for day, meetings in sorted(days.items())],
            "first": self.first,
            "last": last - timedelta(days=1),
            "before": self.address(**{"from": str(self.first - timedelta(days=DAYS)), **whose}),
            "after": self.address(**{"from": str(last), **whose}),
            "tabs": [
                (self.address(**{"from": str(self.first)}), "Yours", mine),
                (self.address(**{"from": str(self.first), "whose": "all"}), "Everybody's", not mine),
            ],
            "any": bool(found.data),
            "cut": (found.total or 0) > MOST,
        }

    def do_cancel(self) -> HttpResponse:
        answer = self.ask("DELETE", "meeting", None, {"ids": [self.sent_id()]})
        if not answer.ok:
            return self.refuse(answer)
        return self.done(" ".join(filter(None, ("Meeting cancelled.", answer.warning))))


class NewMeeting(Page):
    path = "calendar/new"
    name = "meeting-new"
    title = "New meeting"
    template = "web/meetings/new.html"
    module = "meeting"
    menu = Calendar.menu

    @cached_property
    def lead(self) -> Mapping[str, Any] | None:
        """The lead that the address names, which the meeting is about."""
        id = self.request.GET.get("lead", "")
        return self.read(f"lead/{id}").data if id.isalnum() and self.may("lead") else None

    def form(self) -> Form:
        email = (self.lead or {}).get("contact", {}).get("email") or ""
        return Form(
            [
                Field("title", "What", required=True, autofocus=True),
                Field("startsAt", "When", "datetime-local", required=True),
                Field("durationMinutes", "How long", "select", required=True, options=LENGTHS, value="30"),
                Field("attendees", "Whom to ask", help="E-mail addresses, with commas. You come anyway.", value=email),
                Field("place", "Where"),
                Field("link", "Address of a video call", "url", placeholder="https://"),
                Field("description", "What it is about", "textarea"),
            ]
        )

    def show(self) -> Mapping[str, Any]:
        return {"form": self.form(), "lead": self.lead} if self.may("meeting", "POST") else {"form": None}

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        values: dict[str, Any] = {name: value for name, value in form.values.items() if value != ""}
        addresses = str(values.pop("attendees", "")).replace(";", ",").split(",")
        values["attendees"] = [{"email": one.strip()} for one in addresses if one.strip()]
        if str(values.get("durationMinutes", "")).isdecimal():
            values["durationMinutes"] = int(values["durationMinutes"])
        if self.lead:
            values["lead"] = self.lead["_id"]
        answer = self.ask("POST", "meeting", None, values)
        if not answer.ok:
            form.refuse(answer.message, answer.warning)
            return self.page({"form": form, "lead": self.lead}, status=422)
        text = " ".join(filter(None, ("Meeting created.", answer.warning)))
        return self.done(text, self.address("calendar", **{"from": answer.data["startsAtLocal"][:10]}))


PAGES = [Calendar, NewMeeting]
