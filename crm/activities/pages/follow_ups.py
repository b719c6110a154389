"""The pages of follow-ups: the list, and one of them."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import cached_property
from zoneinfo import ZoneInfo

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.text.formats import weekday_text
from core.text.labels.counts import MINUTES_BEFORE
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy, ngettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.filters import DATE, Choice
from core.web.forms import Field, Form, Option
from core.web.lists import ListState
from core.web.navigation.places import TASKS, MenuItem
from core.web.pages import Page
from core.web.prefills import find_named_record

TABS = (("open", gettext_lazy("Open")), ("mine", gettext_lazy("Mine")), ("done", gettext_lazy("Completed")))
EMPTY = {
    "open": gettext_lazy("No open tasks"),
    "mine": gettext_lazy("No tasks for you"),
    "done": gettext_lazy("No completed tasks"),
}
SNOOZES = (
    ("1", gettext_lazy("Until tomorrow")),
    ("3", gettext_lazy("For three days")),
    ("7", gettext_lazy("For a week")),
)
MORNING = time(9)
"""Time of day of a postponed follow-up."""
REMINDERS = {
    "0": gettext_lazy("At the due time"),
    "15": gettext_lazy("15 minutes before"),
    "60": gettext_lazy("1 hour before"),
    "1440": gettext_lazy("1 day before"),
}
COUNT = ngettext_lazy("%(count)s task", "%(count)s tasks")
WORKING = {"status": ["owner", "accepted"]}
FOUND = 10
"""Leads that a search shows."""


class FollowUps(Page):
    """The open follow-ups by their time, overdue ones first; and the done ones, the last first."""

    path = name = "follow-ups"
    title = gettext_lazy("Tasks")
    template = "web/follow_ups/list.html"
    module = "lead-activity"
    menu = MenuItem(
        gettext_lazy("Tasks"), TASKS, 10, "list-todo", keywords=gettext_lazy("follow-ups todo reminders activities")
    )

    choices = (
        Choice("lead.contact.name", gettext_lazy("Contact")),
        Choice("assignee.name", gettext_lazy("Assigned to")),
        Choice("dueAt", gettext_lazy("Due"), DATE, kind="date"),
    )

    @cached_property
    def state(self) -> ListState:
        return ListState(
            self.request.GET, {choice.name: choice for choice in self.choices}, ("tab",), zone=self.zone_name
        )

    @property
    def tab(self) -> str:
        chosen = self.request.GET.get("tab", "")
        return chosen if chosen in EMPTY else "open"

    def show(self) -> Values:
        filters: JsonObject = {"status": "done" if self.tab == "done" else "open"}
        if self.tab == "mine" and self.actor.member_id:  # staff on a visit have none
            filters["assignee"] = self.actor.member_id
        by, way = ("doneAt", "desc") if self.tab == "done" else ("dueAt", "asc")
        answer = self.read(
            "lead-activity/follow-up", {**self.state.query(), "sortBy": by, "sortOrder": way, "filters": filters}
        )
        return {
            "follow_ups": answer.data,
            "state": self.state,
            "choices": self.choices,
            "snoozes": SNOOZES,
            "tabs": [(self.state.link(tab=name), label, name == self.tab) for name, label in TABS],
            "empty": EMPTY[self.tab],
            "counted": COUNT.of(answer.total),
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def do_done(self) -> HttpResponse:
        return self._set("done", _("Task completed"))

    def do_reopen(self) -> HttpResponse:
        return self._set("open", _("Task reopened"))

    def _set(self, status: str, text: str) -> HttpResponse:
        answer = self.ask("PATCH", f"lead-activity/follow-up/{self.sent_id()}", None, {"status": status})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)

    def do_snooze(self) -> HttpResponse:
        """Put it off to the morning of a later day."""
        days = self.request.POST.get("days", "")
        zone = zone_of(self.reader.formats.timezone)
        day = timezone.now().astimezone(zone).date() + timedelta(days=int(days) if days in dict(SNOOZES) else 1)
        due = datetime.combine(day, MORNING, zone).isoformat()
        answer = self.ask("PATCH", f"lead-activity/follow-up/{self.sent_id()}", None, {"dueAt": due})
        if not answer.ok:
            return self.refuse(answer)
        shown = {"day": weekday_text(day), "date": self.reader.formats.date(day)}
        return self.redirect_with_toast(_("Snoozed until %(day)s %(date)s") % shown)


class FollowUpPage(Page):
    module = "lead-activity"
    menu = FollowUps.menu

    @property
    def zone(self) -> ZoneInfo:
        return zone_of(self.reader.formats.timezone)

    @cached_property
    def people(self) -> list[Option]:
        return self.options_of("member", fields="name,email", filters=WORKING)

    def form(self, values: Values | None = None) -> Form:
        """Return the form. Nobody is chosen at first: then it is the lead's member."""
        values = values or {}
        reminders = {**REMINDERS}
        if values.get("remindMinutes"):
            reminders.setdefault(values["remindMinutes"], MINUTES_BEFORE.of(int(values["remindMinutes"])))
        fields = [
            Field("title", _("Task"), required=True, autofocus=not values),
            Field("dueAt", _("Due"), "datetime-local", required=True),
            Field(
                "remindMinutes",
                _("Email reminder"),
                "select",
                options=[Option(value, label) for value, label in reminders.items()],
                placeholder=_("No"),
            ),
            Field("notes", _("Notes"), "textarea"),
        ]
        if self.people:
            none = _("Nobody") if values else _("The lead's owner")
            fields.insert(2, Field("assignee", _("Assigned to"), "select", options=self.people, placeholder=none))
        return Form(fields=fields, initial=values)

    @staticmethod
    def body(values: Values) -> JsonObject:
        """Return the API's body for values of the form."""
        payload = {**values}
        if "remindMinutes" in payload:
            text = payload["remindMinutes"]
            minutes = whole_number(text)
            payload["remindMinutes"] = minutes if minutes is not None else text or None
        if "assignee" in payload:
            payload["assignee"] = payload["assignee"] or None
        return payload


class NewFollowUp(FollowUpPage):
    """A follow-up of the lead in the address, or of one that is searched for here."""

    path = "follow-ups/new"
    name = "follow-up-new"
    title = gettext_lazy("New task")
    template = "web/follow_ups/new.html"

    @cached_property
    def lead(self) -> Values | None:
        if not self.may("lead"):
            return None
        gone = _("This lead no longer exists. Pick another.")
        lead: Values | None = find_named_record(self, "lead", self.request.GET.get("lead", ""), gone)
        return lead

    def show(self) -> Values:
        if not self.may("lead-activity", "POST"):
            return {"refused": True}
        if self.lead:
            return {"lead": self.lead, "form": self.form()}
        find = self.request.GET.get("find", "").strip()
        query: JsonObject = {"p": "1", "n": str(FOUND), **({"searchValue": find} if find else {})}
        answer = self.ask("GET", "lead", query) if self.may("lead") else None
        return {"find": find, "found": answer.data if answer is not None and answer.ok else []}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = {name: value for name, value in form.values.items() if value != ""}
        lead = self.lead["_id"] if self.lead else self.request.GET.get("lead", "")
        answer = self.ask("POST", "lead-activity/follow-up", None, {"lead": lead, **self.body(values)})
        if not answer.ok:
            form.refuse(answer)
            return self.page({"lead": self.lead, "form": form}, status=422)
        return self.redirect_with_toast(_("Task added"), self.address("follow-ups"))


class EditFollowUp(FollowUpPage):
    path = "follow-ups/<str:id>"
    name = "follow-up"
    tab_name = gettext_lazy("Task")
    title = gettext_lazy("Task")
    template = "web/follow_ups/detail.html"

    @property
    def resource(self) -> str:
        return f"lead-activity/follow-up/{self.params['id']}"

    @cached_property
    def follow_up(self) -> Values:
        record: Values = self.read(self.resource).data
        return record

    def values(self) -> JsonObject:
        """Return its values by the names of the form."""
        follow_up = self.follow_up
        due = datetime.fromisoformat(follow_up["dueAt"]).astimezone(self.zone)
        return {
            "title": follow_up["title"],
            "notes": follow_up["notes"],
            "dueAt": f"{due:%Y-%m-%dT%H:%M}",
            "assignee": (follow_up["assignee"] or {}).get("_id", ""),
            "remindMinutes": "" if follow_up["remindMinutes"] is None else str(follow_up["remindMinutes"]),
        }

    def show(self) -> Values:
        form = self.form(self.values()) if self.may("lead-activity", "PATCH") else None
        return {"one": self.follow_up, "form": form}

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.page({"one": self.follow_up, "form": form}, status=422)
        changed = form.changed(before)
        if not changed:
            return self.unchanged(self.address("follow-ups"))
        answer = self.ask("PATCH", self.resource, None, self.body(changed))
        if not answer.ok:
            form.refuse(answer)
            return self.page({"one": self.follow_up, "form": form}, status=422)
        return self.redirect_with_toast(_("Task saved"), self.address("follow-ups"))

    def do_done(self) -> HttpResponse:
        return self._set("done", _("Task completed"))

    def do_reopen(self) -> HttpResponse:
        return self._set("open", _("Task reopened"))

    def _set(self, status: str, text: str) -> HttpResponse:
        answer = self.ask("PATCH", self.resource, None, {"status": status})
        return self.redirect_with_toast(text) if answer.ok else self.refuse(answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.resource, None, {})
        return (
            self.redirect_with_toast(_("Task deleted"), self.address("follow-ups"))
            if answer.ok
            else self.refuse(answer)
        )
