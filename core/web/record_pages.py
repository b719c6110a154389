"""Pages of a record of the CRM: facts edited at their place, a history with a composer, and related records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import NoOperation
from core.web.comments import CommentsPage
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.lists import Column
from core.web.pages import Page
from core.web.tables import TablePage
from core.web.timelines import SIZE, shown_entry

Choices = Sequence[tuple[str, str]]
FEW = "10"
"""Number of related records of a kind that are shown."""
HISTORY = "#history"


@dataclass(frozen=True)
class Composer:
    """An entry that readers add to the history. `module` is its permission, with POST; empty: all who see the record
    adds it."""

    label: str
    icon: str
    module: str
    button: str


COMPOSERS: Mapping[str, Composer] = {
    "note": Composer(gettext_lazy("Note"), "sticky-note", "lead-activity", gettext_lazy("Add note")),
    "comment": Composer(gettext_lazy("Comment"), "message-square", "", gettext_lazy("Add comment")),
    "call": Composer(gettext_lazy("Call"), "phone", "lead-activity", gettext_lazy("Log call")),
    "meeting": Composer(gettext_lazy("Meeting"), "calendar", "meeting", gettext_lazy("Create meeting and invite")),
    "task": Composer(gettext_lazy("Task"), "bell", "lead-activity", gettext_lazy("Add task")),
}
DIRECTIONS: Choices = (("outbound", gettext_lazy("Outgoing")), ("inbound", gettext_lazy("Incoming")))
OUTCOMES: Choices = (
    ("connected", gettext_lazy("Connected")),
    ("no_answer", gettext_lazy("No answer")),
    ("busy", gettext_lazy("Busy")),
    ("voicemail", gettext_lazy("Voicemail")),
    ("wrong_number", gettext_lazy("Wrong number")),
    ("failed", gettext_lazy("Failed")),
)
LENGTHS: Choices = (
    ("15", gettext_lazy("15 minutes")),
    ("30", gettext_lazy("30 minutes")),
    ("60", gettext_lazy("1 hour")),
    ("120", gettext_lazy("2 hours")),
)

COMPOSER_ROWS = (Fieldset("", ("title", ("direction", "outcome"), ("startsAt", "durationMinutes"), REST)),)


def options_for(choices: Choices) -> list[Option]:
    """Return the options of (value, label) pairs in the reader's language."""
    return [Option(value, str(label)) for value, label in choices]


class RecordPage(CommentsPage, TablePage):
    """Shared parts of the pages of a record."""

    facts: ClassVar[Sequence[str]]
    """The names of the columns that are shown as facts. REST are the company's own ones."""
    cell_page: ClassVar[str]
    """The name of the page that edits one value."""
    related_page: ClassVar[str]
    composer_names: ClassVar[Sequence[str]]
    history_module: ClassVar[str] = ""
    """The permission module of the history, if it differs from the page's."""

    def person(self) -> Values:
        """Return the contact of the record. Records that are no person have none, and no button for one."""
        raise NoOperation("this record has no contact")

    def fact_columns(self) -> list[Column]:
        """Return the columns of the facts."""
        columns = self.columns_by_name
        names: list[str] = []
        for name in self.facts:
            own = [column.name for column in columns.values() if column.custom]
            names += own if name == REST else [name]
        picked_columns = [columns[name] for name in dict.fromkeys(names) if name in columns]
        return [
            replace(column, editable=column.editable or column.name in self.edited_in_record)
            for column in picked_columns
        ]

    def fact_context(self, record: Values) -> JsonObject:
        """Return what the facts of the record are drawn with."""
        row = self.row(record)
        columns = self.fact_columns()
        return {
            "row": row,
            "fact_columns": columns,
            "field_values": self.custom_values([row], columns),
            "in_record": True,
            "cell_url": self.address(self.cell_page, row.id),
            "related_url": self.address(self.related_page, row.id),
        }

    def history(self) -> JsonObject:
        """Return the history and the composer."""
        context: JsonObject = {
            "compose": self.compose,
            "composer": self.composer() if self.compose else None,
            "composers": self.composers,
            "compose_label": COMPOSERS[self.compose].button if self.compose else "",
            "email_url": self.address("email-new", **self.named) if self.may("genie", "POST") else "",
        }
        if self.history_module and not self.may(self.history_module):
            return {**context, "entries": [], "hidden": True}
        query = {"n": str(SIZE), "cursor": self.request.GET.get("cursor") or None}
        answer = self.ask("GET", f"{self.resource}/{self.params['id']}/timeline", query)
        return {
            **context,
            "entries": self.entries(self.with_chosen_comment(answer.data or ())),
            "next": self.address(cursor=answer.next_cursor) if answer.next_cursor else "",
        }

    def entries(self, entries: Sequence[Values]) -> list[JsonObject]:
        """Return the entries as the timeline draws them. The newest of an open task completes it."""
        drawn_entries = [self.entry(entry) for entry in entries]
        offered: set[str] = set()
        for entry in drawn_entries:
            task = entry["data"].get("task") or entry["data"].get("followUp") or ""
            if entry["data"].get("isOpen") and task not in offered:
                entry["open_task"] = task
                offered.add(task)
        return drawn_entries

    def entry(self, entry: Values) -> JsonObject:
        """Return an entry as the timeline draws it."""
        drawn_entry = shown_entry(entry, self.reader.formats)
        if entry["kind"] != "comment" or "text" not in entry["data"]:
            return drawn_entry
        kind = "lead" if entry["lead"] else self.resource
        comment = self.shown_comment(entry["_id"], kind, entry["actor"], entry["data"])
        return {**drawn_entry, "comment": comment}

    @property
    def named(self) -> dict[str, str]:
        """Return the record as addresses of other pages name it: its kind, and its id."""
        return {self.resource: self.params["id"]}

    @property
    def record_reference(self) -> JsonObject:
        """Return the record as bodies of tasks and comments name it."""
        return {"record": {"kind": self.resource, "id": self.params["id"]}}

    @cached_property
    def composers(self) -> list[tuple[str, Composer]]:
        """The names and composers of the entries that the reader may write."""
        composers = [(name, COMPOSERS[name]) for name in self.composer_names]
        return [(name, composer) for name, composer in composers if self.composes(composer)]

    def composes(self, composer: Composer) -> bool:
        """Return whether the reader may write such entries. Staff on a visit write none."""
        if composer.module:
            return self.may(composer.module, "POST")
        return not self.reader.visit

    @property
    def compose(self) -> str:
        """Return the entry to write: that of the form, or of the address, or the first one."""
        choice = self.request.POST.get("do") or self.request.GET.get("compose")
        names = [name for name, _composer in self.composers]
        return choice if choice in names else next(iter(names), "")

    def composer(self) -> Form:
        """Return the form of the chosen entry."""
        make = {
            "comment": self._comment_fields,
            "call": self._call_fields,
            "meeting": self._meeting_fields,
            "task": self._task_fields,
        }
        fields = make.get(self.compose, self._note_fields)()
        if "compose" in self.request.GET:
            fields[0].autofocus = True
        return Form(fields=fields, fieldsets=COMPOSER_ROWS)

    def _note_fields(self) -> list[Field]:
        label, hint = gettext("Note"), gettext("Write a note")
        return [Field("notes", label, "textarea", placeholder=hint, key="n")]

    def _comment_fields(self) -> list[Field]:
        return [self.comment_field()]

    def _call_fields(self) -> list[Field]:
        directions, outcomes = options_for(DIRECTIONS), options_for(OUTCOMES)
        return [
            Field("direction", gettext("Direction"), "select", required=True, options=directions, initial="outbound"),
            Field("outcome", gettext("Outcome"), "select", required=True, options=outcomes, initial="connected"),
            Field("minutes", gettext("Minutes"), "number"),
            Field("notes", gettext("Notes"), "textarea"),
        ]

    def _meeting_fields(self) -> list[Field]:
        lengths = options_for(LENGTHS)
        help_text = gettext("Email addresses, separated by commas. You are included.")
        email = self.person()["email"] or ""
        return [
            Field("title", gettext("Title"), required=True),
            Field("startsAt", gettext("Starts"), "datetime-local", required=True),
            Field("durationMinutes", gettext("Duration"), "select", required=True, options=lengths, initial="30"),
            Field("attendees", gettext("Attendees"), help_text=help_text, initial=email),
        ]

    def _task_fields(self) -> list[Field]:
        return [
            Field("title", gettext("Task"), required=True),
            Field("dueAt", gettext("Due"), "datetime-local", required=True),
        ]

    # What forms do

    def do_note(self) -> HttpResponse:
        return self.save_composed("lead-activity", self.composer().bind(self.request.POST), {}, gettext("Note added"))

    def do_comment(self) -> HttpResponse:
        return self.save_composed(
            "comment", self.composer().bind(self.request.POST), self.record_reference, gettext("Comment added")
        )

    def do_call(self) -> HttpResponse:
        form = self.composer().bind(self.request.POST)
        minutes = form.values.get("minutes")
        length = {"duration": round(minutes * 60)} if isinstance(minutes, int | float) else {}
        return self.save_composed("calllog", form, length, gettext("Call logged"))

    def do_task(self) -> HttpResponse:
        form = self.composer().bind(self.request.POST)
        return self.save_composed("task", form, self.record_reference, gettext("Task added"))

    def do_meeting(self) -> HttpResponse:
        form = self.composer().bind(self.request.POST)
        parts = str(form.values.get("attendees", "")).replace(";", ",").split(",")
        person = self.person()
        own = (person["email"] or "").casefold()
        addresses = [address.strip() for address in parts if address.strip()]
        attendees = [
            {"contact": person["_id"]} if address.casefold() == own else {"email": address} for address in addresses
        ]
        details: JsonObject = {"attendees": attendees}
        length = str(form.values.get("durationMinutes", ""))
        if length.isdecimal():
            details["durationMinutes"] = int(length)
        return self.save_composed("meeting", form, details, gettext("Meeting created."))

    def save_composed(self, path: str, form: Form, details: Values, text: str) -> HttpResponse:
        """Save the composer's input, or show it again with the errors."""
        values = {name: value for name, value in form.values.items() if value not in ("", None) and name != "minutes"}
        about = {} if "record" in details else {self.resource: self.params["id"]}
        answer = self.ask("POST", path, None, {**about, **values, **details})
        if answer.ok:
            return self.redirect_with_toast(f"{text}. {answer.notice}" if answer.notice else text, self.request.path)
        if self.request.POST["do"] not in dict(self.composers):
            return self.refuse(answer, self.request.path)
        form.refuse(answer)
        return self.page({**self.show(), "composer": form}, status=422)

    def do_done(self) -> HttpResponse:
        answer = self.ask("PUT", f"task/{self.sent_id()}", None, {"status": "done"})
        if not answer.ok:
            return self.refuse(answer)
        back = {"do": "reopen", "id": self.sent_id()}
        return self.redirect_with_toast(gettext("Task completed"), self.request.path, back=back)

    def do_reopen(self) -> HttpResponse:
        answer = self.ask("PUT", f"task/{self.sent_id()}", None, {"status": "open"})
        return (
            self.redirect_with_toast(gettext("Task reopened"), self.request.path) if answer.ok else self.refuse(answer)
        )


@dataclass(frozen=True)
class RelatedRow:
    """A related record: its address, its name, and what tells it from others."""

    address: str
    name: str
    note: str = ""
    badge: str = ""
    tone: str = ""
    at: str = ""
    task: str = ""
    """The id of an open task, which its button completes."""


@dataclass(frozen=True)
class Related:
    """The related records of a kind. `add` is the address of the form for another one."""

    title: str
    empty: str
    rows: Sequence[RelatedRow] = field(default_factory=tuple)
    total: int = 0
    add: str = ""
    add_label: str = ""


class RelatedPage(Page):
    """The records that are related to one record: a part of its page, and without script a page of its own."""

    template = "web/records/related.html"
    record_page: ClassVar[str]

    def related(self) -> list[Related]:
        """Return the related records by their kind, without those that the reader may not see."""
        raise NotImplementedError

    def show(self) -> Values:
        back = self.address(self.record_page, self.params["id"])
        return {"related": self.related(), "back": back, "title": gettext("Related records")}

    def few(self, path: str, by: str, order: str = "desc", **filters: str | bool) -> tuple[list[Values], int]:
        """Return the first records of a list, and the number of all."""
        answer = self.ask("GET", path, {"filters": filters, "sortBy": by, "sortOrder": order, "n": FEW, "p": "1"})
        return (answer.data, answer.total or 0) if answer.ok else ([], 0)

    def tasks(self, kind: str, *further: str) -> Related:
        """Return the open tasks about the record of this kind, or about what the `further` fields of tasks name."""
        id = self.params["id"]
        conditions = [{"field": name, "operator": "equals", "value": id} for name in (kind, *further)]
        query: JsonObject = {"advancedFilters": {"operator": "or", "conditions": conditions}, "n": FEW, "p": "1"}
        query |= {"filters": {"status": "open"}, "sortBy": "dueAt", "sortOrder": "asc"}
        answer = self.ask("GET", "task", query)
        records, total = (answer.data, answer.total or 0) if answer.ok else ([], 0)
        add = self.address("follow-up-new", **{kind: id}) if self.may("lead-activity", "POST") else ""
        may = self.may("lead-activity", "PUT")
        rows = [
            RelatedRow(
                self.address("follow-up", task["_id"]),
                task["title"],
                badge=gettext("Overdue") if task["overdue"] else "",
                tone="bad",
                at=task["dueAt"],
                task=task["_id"] if may else "",
            )
            for task in records
        ]
        return Related(gettext("Tasks"), gettext("No open tasks."), rows, total, add, gettext("New task"))

    def meetings(self, add: str, **filters: str) -> Related:
        """Return the meetings, the latest first."""
        records, total = self.few("meeting", "startsAt", **filters)
        rows = [
            RelatedRow(
                self.address("meeting", meeting["_id"]),
                meeting["title"],
                badge=gettext("Cancelled") if meeting["status"] == "cancelled" else "",
                at=meeting["startsAt"],
            )
            for meeting in records
        ]
        add = add if self.may("meeting", "POST") else ""
        return Related(gettext("Meetings"), gettext("No meetings."), rows, total, add, gettext("New meeting"))
