"""The calendar: four weeks of meetings by day or one as a table, and a form for a new meeting."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_date

from core.ids import is_id
from core.text.timezones import zone_of
from core.web.forms import Field, Form, Option
from core.web.pages import MenuItem, Page

DAYS = 28
MOST = 200
WORK = (8, 18)
"""The hours that a week shows at least."""
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

    @property
    def is_week(self) -> bool:
        return self.request.GET.get("view") == "week"

    @cached_property
    def first(self) -> date:
        """The first day shown, of a week its Monday. What is no day of a calendar is today."""
        try:
            asked = parse_date(self.request.GET.get("from", ""))
        except ValueError:
            asked = None
        day = asked if asked and 1970 < asked.year < 9000 else self.today
        return day - timedelta(days=day.weekday()) if self.is_week else day

    @property
    def length(self) -> timedelta:
        return timedelta(days=7 if self.is_week else DAYS)

    def start_of(self, day: date) -> str:
        """Return the moment in which the day begins where the reader is."""
        return datetime.combine(day, time(), self.zone).isoformat()

    def begins(self, meeting: Mapping[str, Any]) -> datetime:
        """Return when the meeting begins where the reader is; one that goes on since before, at the first day."""
        first = datetime.combine(self.first, time(), self.zone)
        return max(datetime.fromisoformat(meeting["startsAt"]).astimezone(self.zone), first)

    def link(self, **changes: str) -> str:
        """Return the address of the calendar as it is, with changes."""
        kept = {name: self.request.GET[name] for name in ("view", "whose") if name in self.request.GET}
        return self.address(**{**kept, "from": str(self.first), **changes})

    def show(self) -> Mapping[str, Any]:
        end = self.first + self.length
        mine = self.request.GET.get("whose") != "all"
        begun = [
            {"field": "endsAt", "operator": "after", "value": self.start_of(self.first)},
            {"field": "startsAt", "operator": "before", "value": self.start_of(end)},
            {"field": "status", "operator": "equals", "value": "scheduled"},
        ]
        query: dict[str, Any] = {"advancedFilters": {"operator": "and", "conditions": begun}}
        if mine:
            query["filters"] = {"member": self.actor.member_id}
        found = self.read("meeting", {**query, "sortBy": "startsAt", "sortOrder": "asc", "p": "1", "n": str(MOST)})
        meetings = [(self.begins(one), one) for one in found.data]
        return {
            **(self.week(meetings) if self.is_week else self.agenda(meetings, end)),
            "first": self.first,
            "last": end - timedelta(days=1),
            "before": self.link(**{"from": str(self.first - self.length)}),
            "after": self.link(**{"from": str(end)}),
            "today": self.link(**{"from": str(self.today)}),
            "views": [
                (self.link(view="agenda"), "Agenda", not self.is_week),
                (self.link(view="week"), "Week", self.is_week),
            ],
            "tabs": [(self.link(whose="mine"), "Yours", mine), (self.link(whose="all"), "Everybody's", not mine)],
            "any": bool(found.data),
            "cut": (found.total or 0) > MOST,
        }

    def agenda(self, meetings: list[tuple[datetime, Any]], end: date) -> dict[str, Any]:
        """Return today and the days that have meetings."""
        days: dict[date, list[Any]] = {self.today: []} if self.first <= self.today < end else {}
        for begins, one in meetings:
            days.setdefault(begins.date(), []).append(one)
        return {"days": [(day, f"{day:%A}", found, day == self.today) for day, found in sorted(days.items())]}

    def week(self, meetings: list[tuple[datetime, Any]]) -> dict[str, Any]:
        """Return a row per hour of the day, each with the meetings that begin in it by day."""
        days = [self.first + timedelta(days=number) for number in range(7)]
        hours = [begins.hour for begins, _ in meetings]
        cells: dict[tuple[int, date], list[Any]] = {}
        for begins, one in meetings:
            cells.setdefault((begins.hour, begins.date()), []).append(one)
        shown = range(min([WORK[0], *hours]), max([WORK[1], *hours]) + 1)
        rows = [
            (datetime.combine(self.first, time(hour), self.zone), [cells.get((hour, day), []) for day in days])
            for hour in shown
        ]
        return {"week_days": [(day, f"{day:%a}", day == self.today) for day in days], "rows": rows}

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
        return self.read(f"lead/{id}").data if is_id(id) and self.may("lead") else None

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
