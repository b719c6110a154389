"""The pages of tasks: the list by day, a new one, and one of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
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
from core.web.comments import CommentsPage, comment_entry
from core.web.filters import DATE, Choice
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.lists import ListState
from core.web.navigation.places import TASKS, MenuItem
from core.web.pages import Page
from core.web.record_pages import options_for
from core.web.timelines import SIZE
from crm.activities.pages.task_record import PicksRecord, record_of

TABS = (("open", gettext_lazy("Open")), ("mine", gettext_lazy("Mine")), ("done", gettext_lazy("Completed")))
EMPTY = {
    "open": gettext_lazy("No open tasks"),
    "mine": gettext_lazy("No tasks for you"),
    "done": gettext_lazy("No completed tasks"),
}
SNOOZES = (
    ("1", gettext_lazy("By a day")),
    ("3", gettext_lazy("By three days")),
    ("7", gettext_lazy("By a week")),
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
TYPES = (
    ("todo", gettext_lazy("To do")),
    ("call", gettext_lazy("Call")),
    ("email", gettext_lazy("Email")),
    ("meeting", gettext_lazy("Meeting")),
)
PRIORITIES = (("low", gettext_lazy("Low")), ("normal", gettext_lazy("Normal")), ("high", gettext_lazy("High")))
RECURRENCES = (
    ("daily", gettext_lazy("Every day")),
    ("weekdays", gettext_lazy("Every weekday")),
    ("weekly", gettext_lazy("Every week")),
    ("monthly", gettext_lazy("Every month")),
    ("yearly", gettext_lazy("Every year")),
)
FIELDSETS = (
    Fieldset(gettext_lazy("Task"), ("title", ("dueAt", "assignee"))),
    Fieldset(gettext_lazy("About"), ("record",)),
    Fieldset(gettext_lazy("More details"), (("type", "priority"), ("recurrence", "remindMinutes"), REST)),
)


class FollowUps(Page):
    """The open tasks by day, overdue ones first; and the completed ones, the last first."""

    path = name = "follow-ups"
    title = gettext_lazy("Tasks")
    template = "web/follow_ups/list.html"
    module = "lead-activity"
    menu = MenuItem(
        gettext_lazy("Tasks"),
        TASKS,
        10,
        "list-todo",
        keywords=gettext_lazy("follow-ups todo to do reminders activities"),
    )

    choices = (
        Choice("contact.name", gettext_lazy("Contact")),
        Choice("lead.contact.name", gettext_lazy("Contact of the lead")),
        Choice("organization.name", gettext_lazy("Organization")),
        Choice("assignee.name", gettext_lazy("Assigned to")),
        Choice("type", gettext_lazy("Type"), ("in", "notIn"), TYPES),
        Choice("priority", gettext_lazy("Priority"), ("in", "notIn"), PRIORITIES),
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
        answer = self.read("task", {**self.state.query(), "sortBy": by, "sortOrder": way, "filters": filters})
        return {
            "groups": [("", False, answer.data)] if self.tab == "done" else self.by_day(answer.data),
            "state": self.state,
            "choices": self.choices,
            "snoozes": SNOOZES,
            "tabs": [(self.state.link(tab=name), label, name == self.tab) for name, label in TABS],
            "empty": EMPTY[self.tab],
            "counted": COUNT.of(answer.total),
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def by_day(self, tasks: Sequence[Values]) -> list[tuple[str, bool, list[Values]]]:
        """Return the tasks, which are in the order of their times, under the names of their days.

        Each group says whether it spans several days, so that its tasks show their dates.
        """
        zone = zone_of(self.reader.formats.timezone)
        today = timezone.now().astimezone(zone).date()
        named: dict[str, list[Values]] = {}
        for task in tasks:
            day = datetime.fromisoformat(task["dueAt"]).astimezone(zone).date()
            label = _("Overdue") if task["overdue"] else day_label(day, today)
            named.setdefault(label, []).append(task)
        single = (_("Today"), _("Tomorrow"))
        return [(label, label not in single, group) for label, group in named.items()]

    def do_done(self) -> HttpResponse:
        return self._set("done", _("Task completed"), {"do": "reopen", "id": self.sent_id()})

    def do_reopen(self) -> HttpResponse:
        return self._set("open", _("Task reopened"))

    def do_restore(self) -> HttpResponse:
        answer = self.ask("POST", "task/restore", None, {"ids": [self.sent_id()]})
        return self.redirect_with_toast(_("Task restored")) if answer.ok else self.refuse(answer)

    def _set(self, status: str, text: str, back: Values | None = None) -> HttpResponse:
        answer = self.ask("PUT", f"task/{self.sent_id()}", None, {"status": status})
        return self.redirect_with_toast(text, back=back) if answer.ok else self.refuse(answer)

    def do_snooze(self) -> HttpResponse:
        """Put it off to the morning of a later day, counted from today, or from its due day if that is later."""
        days = self.request.POST.get("days", "")
        zone = zone_of(self.reader.formats.timezone)
        task = self.read(f"task/{self.sent_id()}").data
        was_due = datetime.fromisoformat(task["dueAt"]).astimezone(zone)
        first = max(was_due, timezone.now().astimezone(zone)).date()
        day = first + timedelta(days=int(days) if days in dict(SNOOZES) else 1)
        due = datetime.combine(day, MORNING, zone).isoformat()
        answer = self.ask("PUT", f"task/{task['_id']}", None, {"dueAt": due})
        if not answer.ok:
            return self.refuse(answer)
        shown = {"day": weekday_text(day), "date": self.reader.formats.date(day)}
        return self.redirect_with_toast(_("Snoozed until %(day)s %(date)s") % shown)


def day_label(day: date, today: date) -> str:
    """Return the name of the day, or of the span that it belongs to."""
    if day <= today:
        return _("Today")
    if day == today + timedelta(days=1):
        return _("Tomorrow")
    sunday = today + timedelta(days=6 - today.weekday())
    return _("This week") if day <= sunday else _("Later")


class FollowUpPage(PicksRecord):
    module = "lead-activity"
    menu = FollowUps.menu

    @property
    def zone(self) -> ZoneInfo:
        return zone_of(self.reader.formats.timezone)

    @cached_property
    def people(self) -> list[Option]:
        return self.options_of("member", fields="name,email", filters=WORKING)

    def form(self, values: Values | None = None, record: Values | None = None) -> Form:
        """Return the form. Nobody is chosen at first: then it is the record's owner, or the reader."""
        values = values or {}
        picker = self.record_field(record)
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
            Field("type", _("Type"), "select", options=options_for(TYPES), initial="todo"),
            Field("priority", _("Priority"), "select", options=options_for(PRIORITIES), initial="normal"),
            Field("recurrence", _("Repeat"), "select", options=options_for(RECURRENCES), placeholder=_("Never")),
            Field("notes", _("Notes"), "textarea"),
        ]
        if self.people:
            none = _("Nobody") if values else _("The record's owner, or you")
            fields.insert(2, Field("assignee", _("Assigned to"), "select", options=self.people, placeholder=none))
        if picker:
            fields.append(picker)
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    @staticmethod
    def body(values: Values) -> JsonObject:
        """Return the API's body for values of the form."""
        payload = {**values}
        if "remindMinutes" in payload:
            text = payload["remindMinutes"]
            minutes = whole_number(text)
            payload["remindMinutes"] = minutes if minutes is not None else text or None
        if "record" in payload:
            payload["record"] = record_of(payload["record"])
        return payload | {name: payload[name] or None for name in ("assignee", "recurrence") if name in payload}


class NewFollowUp(FollowUpPage):
    """A task about the record in the address, about one that is picked, or about nothing."""

    path = "follow-ups/new"
    name = "follow-up-new"
    title = gettext_lazy("New task")
    action = title
    template = "web/follow_ups/new.html"

    def show(self) -> Values:
        return {"form": self.form()} if self.may("lead-activity", "POST") else {"refused": True}

    def sent_form(self) -> Form:
        return self.form().bind(self.request.POST)

    def form_page(self, form: Form, status: int = 200) -> HttpResponse:
        return self.page({"form": form} if self.may("lead-activity", "POST") else {"refused": True}, status=status)

    def do_save(self) -> HttpResponse:
        form = self.sent_form()
        if not self.is_picked(form):
            return self.form_page(form, status=422)
        values = {name: value for name, value in form.values.items() if value != ""}
        answer = self.ask("POST", "task", None, self.body(values))
        if not answer.ok:
            form.refuse(answer)
            return self.form_page(form, status=422)
        return self.redirect_with_toast(_("Task added"), self.address("follow-ups"))


class EditFollowUp(CommentsPage, FollowUpPage):
    path = "follow-ups/<str:id>"
    name = "follow-up"
    tab_name = gettext_lazy("Task")
    title = gettext_lazy("Task")
    template = "web/follow_ups/detail.html"
    comments_place = "#comments"

    @property
    def resource(self) -> str:
        return f"task/{self.params['id']}"

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
            "record": "{kind}-{id}".format(**follow_up["record"]) if follow_up["record"] else "",
            "notes": follow_up["notes"],
            "dueAt": f"{due:%Y-%m-%dT%H:%M}",
            "assignee": (follow_up["assignee"] or {}).get("_id", ""),
            "type": follow_up["type"],
            "priority": follow_up["priority"],
            "recurrence": follow_up["recurrence"] or "",
            "remindMinutes": "" if follow_up["remindMinutes"] is None else str(follow_up["remindMinutes"]),
        }

    def show(self) -> Values:
        may_edit = self.may("lead-activity", "PATCH")
        form = self.form(self.values(), self.follow_up["record"]) if may_edit else None
        comment_form = None if self.reader.visit else Form(fields=[self.comment_field()])
        context = {"one": self.follow_up, "form": form, "facts": self.facts, "comment_form": comment_form}
        return {**context, **self.comments()}

    def comments(self) -> JsonObject:
        """Return the comments of the task, the newest first; one that the address names is always among them."""
        query = {"n": str(SIZE), "cursorPagination": "true", "cursor": self.request.GET.get("cursor") or None}
        answer = self.ask("GET", "comment", {**query, "filters": {"task": self.params["id"]}})
        entries = self.with_chosen_comment([comment_entry(comment) for comment in answer.data or ()])
        shown = [
            {
                **self.shown_comment(entry["_id"], "task", entry["actor"], entry["data"]),
                "at": entry["at"],
                "author": (entry["actor"] or {}).get("name") or _("Former member"),
            }
            for entry in entries
        ]
        earlier = self.address(cursor=answer.next_cursor) if answer.next_cursor else ""
        return {"comments": shown, "earlier": earlier}

    def do_comment(self) -> HttpResponse:
        form = Form(fields=[self.comment_field()]).bind(self.request.POST)
        record = {"kind": "task", "id": self.params["id"]}
        answer = self.ask("POST", "comment", None, {"record": record, "text": form.values.get("text", "")})
        if answer.ok:
            return self.redirect_with_toast(_("Comment added"), self.request.path + self.comments_place)
        form.refuse(answer)
        return self.page({**self.show(), "comment_form": form}, status=422)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """Return label and value of the choices, for readers who may not change them."""
        task = self.follow_up
        shown = [
            (_("Type"), dict(TYPES)[task["type"]]),
            (_("Priority"), dict(PRIORITIES)[task["priority"]]),
            (_("Repeat"), dict(RECURRENCES).get(task["recurrence"], gettext_lazy("Never"))),
        ]
        return [(label, str(value)) for label, value in shown]

    def sent_form(self) -> Form:
        return self.form(self.values(), self.follow_up["record"]).bind(self.request.POST)

    def form_page(self, form: Form, status: int = 200) -> HttpResponse:
        shown = {"form": form} if self.may("lead-activity", "PATCH") else {}
        return self.page({**self.show(), **shown}, status=status)

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.sent_form()
        if not form.is_valid() or not self.is_picked(form):
            return self.form_page(form, status=422)
        changed = form.changed(before)
        if not changed:
            return self.report_unchanged(self.address("follow-ups"))
        answer = self.ask("PUT", self.resource, None, self.body(changed))
        if not answer.ok:
            form.refuse(answer)
            return self.form_page(form, status=422)
        return self.redirect_with_toast(_("Task saved"), self.address("follow-ups"))

    def do_done(self) -> HttpResponse:
        return self._set("done", _("Task completed"), {"do": "reopen"})

    def do_reopen(self) -> HttpResponse:
        return self._set("open", _("Task reopened"))

    def _set(self, status: str, text: str, back: Values | None = None) -> HttpResponse:
        answer = self.ask("PUT", self.resource, None, {"status": status})
        return self.redirect_with_toast(text, back=back) if answer.ok else self.refuse(answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.resource, None, {})
        if not answer.ok:
            return self.refuse(answer)
        back = {"do": "restore", "id": self.params["id"]} if self.may("lead-activity", "POST") else None
        return self.redirect_with_toast(_("Task deleted"), self.address("follow-ups"), back=back)
