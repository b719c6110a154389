"""The calendar: a week, a month, or an agenda; small screens begin with the agenda."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _

from core.text.formats import weekday_text
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.navigation.places import CALENDAR, MenuItem
from core.web.pages import Page
from crm.meetings.pages.days import DAY, Day, Entry, days_of, hours_of, read_moment

AGENDA_DAYS, WEEK_DAYS = 28, 7
MAX_MEETINGS = 200
OVERDUE = 5
VIEWS = {"week": gettext_lazy("Week"), "month": gettext_lazy("Month"), "agenda": gettext_lazy("Agenda")}
MOVED = {"follow-up": ("task", "dueAt", "PUT"), "meeting": ("meeting", "startsAt", "PUT")}
"""Kind of moved entry -> its path, its time field, and the method that changes it."""
NO_TIME = Answer(
    400,
    {
        "message": gettext_lazy("The meeting was not moved."),
        "warning": gettext_lazy("This time is skipped by daylight saving. Enter another one."),
    },
)


class Calendar(Page):
    path = name = "calendar"
    title = gettext_lazy("Calendar")
    template = "web/meetings/calendar.html"
    module = "meeting"
    alternate_modules = ("calendar", "my-calendar", "videocall", "my-videocall", "offline-meeting")
    menu = MenuItem(
        gettext_lazy("Meetings"),
        CALENDAR,
        10,
        "calendar",
        keywords=gettext_lazy("calendar appointments events schedule"),
    )

    @cached_property
    def zone(self) -> ZoneInfo:
        return zone_of(self.reader.formats.timezone)

    @cached_property
    def today(self) -> date:
        return timezone.now().astimezone(self.zone).date()

    @property
    def view(self) -> str:
        """Return the view in the address, or "": a week, and on small screens the agenda."""
        view_name = self.request.GET.get("view", "")
        return view_name if view_name in VIEWS else ""

    @cached_property
    def requested_day(self) -> date | None:
        """The day in the address, or None for an invalid one."""
        try:
            day = parse_date(self.request.GET.get("from", ""))
        except ValueError:
            return None
        return day if day and 1970 < day.year < 9000 else None

    @cached_property
    def first(self) -> date:
        """Return the first day shown: of a month its first, of a week its Monday."""
        day = self.requested_day or self.today
        if self.view == "month":
            return day.replace(day=1)
        return day if self.view == "agenda" else monday(day)

    @cached_property
    def end(self) -> date:
        """Return the day after the last one shown."""
        if self.view == "month":
            return (self.first + 31 * DAY).replace(day=1)
        return self.first + (AGENDA_DAYS if self.view == "agenda" else WEEK_DAYS) * DAY

    @cached_property
    def span(self) -> tuple[date, date]:
        """The days that are asked for: a month's weeks in full, and more than the week where it may be an agenda."""
        if self.view == "month":
            return monday(self.first), monday(self.end - DAY) + WEEK_DAYS * DAY
        return self.first, self.end if self.view or self.requested_day else self.today + AGENDA_DAYS * DAY

    def start_of(self, day: date) -> str:
        """Return the time at which the day begins in the reader's zone."""
        return datetime.combine(day, time(), self.zone).isoformat()

    def link(self, **changes: str) -> str:
        """Return the address of the calendar as it is, with changes."""
        kept = {name: self.request.GET[name] for name in ("view", "whose", "from") if name in self.request.GET}
        return self.address(**{name: value for name, value in {**kept, **changes}.items() if value})

    @cached_property
    def shows(self) -> str:
        """Return the path of the API with the most entries that the reader may see."""
        return next(path for path in (self.module, *self.alternate_modules) if self.may(path))

    @property
    def shows_all(self) -> bool:
        """Return whether the entries of others can be shown, too."""
        return self.shows not in ("my-calendar", "my-videocall")

    @property
    def mine(self) -> bool:
        if self.reader.visit:
            return False  # staff on a visit have no calendar of their own here
        return self.request.GET.get("whose") != "all" or not self.shows_all

    def plain_entries(self) -> tuple[list[Entry], bool]:
        """Return the API's calendar entries of the days; their records have no pages that the reader may open."""
        first, end = (self.start_of(day) for day in self.span)
        query = {"from": first, "to": end}
        if self.mine and self.shows == "calendar":
            query["member"] = self.actor.member_id
        calendar = self.read(self.shows, query).data
        records = [
            {
                **record,
                "plain": True,
                "status": "scheduled",
                "lead": None,
                "contact": None,
                "organizer": record["member"] or {"name": ""},
            }
            for record in calendar["entries"]
        ]
        return [Entry.of_meeting(record, self.zone) for record in records], calendar["isCut"]

    def entries(self) -> tuple[list[Entry], bool]:
        """Return meetings and open follow-ups of the days, and whether there are more."""
        if self.shows in ("calendar", "my-calendar"):
            return self.plain_entries()
        first, end = (self.start_of(day) for day in self.span)
        meeting_answer = self.read(
            self.shows,
            selection(
                [
                    {"field": "endsAt", "operator": "after", "value": first},
                    {"field": "startsAt", "operator": "before", "value": end},
                    {"field": "status", "operator": "equals", "value": "scheduled"},
                ],
                "startsAt",
                {"member": self.actor.member_id} if self.mine else {},
            ),
        )
        entries = [Entry.of_meeting(record, self.zone) for record in meeting_answer.data]
        cut = (meeting_answer.total or 0) > MAX_MEETINGS
        if self.may("lead-activity"):
            due = [
                {"field": "dueAt", "operator": "greaterThanOrEqual", "value": first},
                {"field": "dueAt", "operator": "before", "value": end},
                {"field": "status", "operator": "equals", "value": "open"},
            ]
            answer = self.ask("GET", "task", selection(due, "dueAt", self.assignee_filter))
            if answer.ok:
                entries += [Entry.of_follow_up(record, self.zone) for record in answer.data]
                cut = cut or (answer.total or 0) > MAX_MEETINGS
        return entries, cut

    @property
    def assignee_filter(self) -> JsonObject:
        return {"assignee": self.actor.member_id} if self.mine else {}

    def overdue(self) -> tuple[list[Any], int]:
        """Return the first follow-ups that are overdue, and the number of all."""
        if not self.may("lead-activity"):
            return [], 0
        filters = {"overdue": True, **self.assignee_filter}
        query = {"filters": filters, "sortBy": "dueAt", "sortOrder": "asc", "p": "1", "n": str(OVERDUE)}
        answer = self.ask("GET", "task", query)
        return (answer.data, answer.total or 0) if answer.ok else ([], 0)

    def show(self) -> Values:
        entries, cut = self.entries()
        first, end = self.span
        days = days_of(entries, first, (end - first).days, self.zone, self.today)
        late, late_count = self.overdue()
        return {
            **self.shown_days(days),
            "first": self.first,
            "last": self.end - DAY,
            "before": self.link(**{"from": str(self.step_back())}),
            "after": self.link(**{"from": str(self.end)}),
            "now": self.link(**{"from": ""}),
            "views": [(name, label, self.link(view=name)) for name, label in VIEWS.items()],
            "tabs": [
                (self.link(whose="mine"), _("Mine"), self.mine),
                *([(self.link(whose="all"), _("Everyone's"), not self.mine)] if self.shows_all else []),
            ],
            "late": late,
            "late_count": late_count,
            "here": self.link(),
            "cut": cut,
        }

    def step_back(self) -> date:
        """Return the first day of the previous period."""
        return (self.first - DAY).replace(day=1) if self.view == "month" else self.first - (self.end - self.first)

    def shown_days(self, days: list[Day]) -> JsonObject:
        """Return the days of each view that is on the page."""
        views: JsonObject = {}
        if self.view == "month":
            for day in days:
                day.outside = day.day.month != self.first.month
            chosen = next(day for day in days if day.day == (self.requested_day or self.today))
            weeks = [days[start : start + WEEK_DAYS] for start in range(0, len(days), WEEK_DAYS)]
            return {"weeks": weeks, "chosen": chosen}
        if self.view in ("", "week"):
            week = days[:WEEK_DAYS]
            hours = hours_of(week)
            views["week"] = [(day, day.slots(hours)) for day in week]
            views["hours"] = [datetime.combine(self.first, time(hour), self.zone) for hour in hours]
        if self.view in ("", "agenda"):
            coming = days if self.view or self.requested_day else [day for day in days if day.day >= self.today]
            views["agenda"] = [day for day in coming if day.entries or day.is_today]
            views["any"] = any(day.entries for day in coming)
        return views

    def do_move(self) -> HttpResponse:
        """Move a meeting or a follow-up to a time, or to a day at the time that it has."""
        sent = self.request.POST
        time_text = sent.get("at", "")
        moment = read_moment(time_text if "T" in time_text else f"{time_text}T{sent.get('time', '')}", self.zone)
        if moment is None:
            return self.refuse(NO_TIME, self.link())
        kind = "follow-up" if sent.get("kind") == "follow-up" else "meeting"
        place, time_of, method = MOVED[kind]
        path = f"{place}/{self.sent_id()}"
        before = self.ask("GET", path)
        answer = self.ask(method, path, None, {time_of: moment.isoformat()})
        formats = self.reader.formats
        text = _("Moved to %(moment)s %(date)s, %(time)s.") % {
            "moment": weekday_text(moment),
            "date": formats.date(moment),
            "time": formats.time(moment),
        }
        was = datetime.fromisoformat(before.data[time_of]).astimezone(self.zone) if before.ok else None
        back = {"do": "move", "kind": kind, "id": self.sent_id(), "at": f"{was:%Y-%m-%dT%H:%M}"} if was else None
        return self._redirect_with_result(answer, text, back)

    def do_cancel(self) -> HttpResponse:
        return self._redirect_with_result(
            self.ask("DELETE", "meeting", None, {"ids": [self.sent_id()]}), _("Meeting cancelled.")
        )

    def do_done(self) -> HttpResponse:
        answer = self.ask("PUT", f"task/{self.sent_id()}", None, {"status": "done"})
        back = {"do": "reopen", "id": self.sent_id()}
        return self._redirect_with_result(answer, _("Task completed."), back)

    def do_reopen(self) -> HttpResponse:
        answer = self.ask("PUT", f"task/{self.sent_id()}", None, {"status": "open"})
        return self._redirect_with_result(answer, _("Task reopened."))

    def _redirect_with_result(self, answer: Answer, text: str, back: Mapping[str, str] | None = None) -> HttpResponse:
        if not answer.ok:
            return self.refuse(answer, self.link())
        return self.redirect_with_toast(" ".join(map(str, filter(None, (text, answer.notice)))), self.link(), back=back)


def selection(conditions: list[JsonObject], by: str, filters: Values) -> JsonObject:
    """Return the query of the first records that meet the conditions, by time."""
    tree = {"operator": "and", "conditions": conditions}
    query: JsonObject = {
        "advancedFilters": tree,
        "sortBy": by,
        "sortOrder": "asc",
        "p": "1",
        "n": str(MAX_MEETINGS),
    }
    return {**query, "filters": dict(filters)} if filters else query


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())
