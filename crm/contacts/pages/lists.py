"""The table of contacts: its columns, values changed in it, and what is done with many."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse

from core.web.ask import Answer
from core.web.bulk import BulkList, ChangeMany, StartForMany
from core.web.filters import SINCE, Choice
from core.web.forms import Field
from core.web.lists import Column
from core.web.record_forms import column_of, form_field, record_choices, shown_fields
from core.web.tables import ChooseColumns, EditCell, Row, TablePage
from crm.contacts.pages.base import ContactPage

CUSTOM_COLUMNS = 2
"""The number of custom fields among the columns that are shown when nobody has chosen any."""
LINKED = (("segment", "segment", "Segment"), ("category", "contact-category", "Category"))
"""Field, path and words of the filters that pages of segments and categories lead to."""
ANSWERED = Choice("repliedAt", "Answered", (SINCE,), kind="date")
"""The filter that a number of the home page leads to."""
IMPORT = ("importId", "contact/import", "Import")
"""Field, path and words of the filter that pages of imports lead to."""
MOST_WRITTEN_TO = 100
"""Single people whom one outreach can be started for from the list: an address holds no more ids."""


class ContactTable(ContactPage, TablePage):
    """What the pages of the table of contacts share."""

    resource = "contact"
    listed_at = "contacts"
    record_page = "contact"
    usual = ("name", "email", "tags", "createdAt")

    def known_columns(self) -> list[Column]:
        return [
            Column("name", "Name", "name", css="first", kind="who", fixed=True, editable=True),
            Column("email", "E-mail", "email", css="second", editable=True),
            Column("contactNumber", "Phone", css="num", editable=True),
            *(column_of(one) for one in shown_fields(self.definitions)),
            Column("category", "Category", "category.name"),
            Column("tags", "Tags", css="aside", kind="tags"),
            Column("unsubscribed", "Unsubscribed"),
            Column("createdBy", "Added by", "createdBy.name"),
            Column("createdAt", "Added", "createdAt", css="muted num", kind="when"),
            Column("updatedAt", "Changed", "updatedAt", css="muted num", kind="when"),
        ]

    @cached_property
    def usual_columns(self) -> list[str]:
        custom = [one["uniqueFieldID"] for one in shown_fields(self.definitions)[:CUSTOM_COLUMNS]]
        return [*self.usual[:2], *custom, *self.usual[2:]]

    def row(self, record: Mapping[str, Any]) -> Row:
        name = record["name"] or ""
        return Row(record["_id"], f"contacts/{record['_id']}", name or "No name", name or record["email"] or "", record)


class ContactList(ContactTable, BulkList):
    """What the list and the change of many share: which contacts the address says."""

    one = "contact"

    @cached_property
    def choices(self) -> list[Choice]:
        """The fields that people filter by."""
        found = record_choices("contact", self.definitions, self.options_of("tag"))
        for name, path, label in LINKED:
            if self.is_filtered(name):  # the names are asked for only then
                pairs = [(one.value, one.label) for one in self.options_of(path)]
                found.append(Choice(name, label, ("in",), pairs))
        found += [self.linked(*IMPORT)] if self.is_filtered(IMPORT[0]) else []
        found += [ANSWERED] if self.is_filtered(ANSWERED.name) else []
        return found

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Tags, category and the company's own fields; what makes contacts unique cannot be changed for many."""
        own = [(one["uniqueFieldID"], one["name"]) for one in shown_fields(self.definitions) if form_field(one)]
        named = (("tags", "Tags", "tag"), ("category", "Category", "contact-category"))
        return [*((name, words) for name, words, module in named if self.may(module)), *own]


class Contacts(ContactList):
    path = name = "contacts"
    title = "Contacts"
    template = "web/contacts/list.html"

    def show(self) -> Mapping[str, Any]:
        found = self.listed("contact", self.state.query())
        rows = [self.row(one) for one in found.data]
        return {
            **self.context(),
            "choices": self.choices,
            "rows": rows,
            "field_values": self.written(rows, self.columns),
            "total": found.total,
            "counted": self.counted(found.total),
            "changes": self.changes if self.may("contact", "PUT") else [],
            "can_be_segment": self.can_be_segment,
            "more": self.state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }

    @property
    def can_be_segment(self) -> bool:
        """Whether the filters can be saved as a segment, which knows no search and not the filters of links."""
        names = {one.name for one in self.state.filters}
        more = self.state.search or self.state.fixed
        links = {*(name for name, *_ in (*LINKED, IMPORT)), ANSWERED.name}
        return bool(names) and not more and names.isdisjoint(links)

    def do_write(self) -> HttpResponse:
        """Start an outreach to those who are chosen; a filter goes by way of a segment."""
        ids = self.request.POST.getlist("ids")
        if "all" not in self.request.POST and ids and len(ids) <= MOST_WRITTEN_TO:
            return self.done(to=self.address("outreach-new", contactIds=ids))
        told = f"Choose at most {MOST_WRITTEN_TO}. For more, filter the list, save it as a segment and write to that."
        return self.refuse(Answer(400, {"message": told}), self.request.path + self.state.link())

    def do_merge(self) -> HttpResponse:
        return self.done(to=self.address("contact-merge", ids=self.request.POST.getlist("ids")))


class StartForContacts(StartForMany, ContactList):
    path = "contacts/start"
    name = "contacts-start"
    title = "Start a workflow for contacts"


class ChangeContacts(ChangeMany, ContactList):
    path = "contacts/change"
    name = "contacts-change"
    title = "Change contacts"

    def field(self, name: str) -> Field | None:
        if name == "tags":
            return Field("tags", "Tags", "checks", options=self.options_of("tag"))
        if name == "category":
            return Field("category", "Category", "select", options=self.options_of("contact-category"))
        found = (one for one in shown_fields(self.definitions) if one["uniqueFieldID"] == name)
        return next((form_field(one, self.zone_name) for one in found), None)


class ContactColumns(ContactTable, ChooseColumns):
    path = "contacts/columns"
    name = "contact-columns"
    title = "Columns of contacts"


class ContactCell(ContactTable, EditCell):
    path = "contacts/<str:id>/cell"
    name = "contact-cell"

    def fields(self, column: Column) -> list[Field]:
        names = ("countryCode", "number") if column.name == "contactNumber" else (column.name,)
        if found := [one for one in self.system_fields() if one.name in names]:
            return found
        made = (form_field(one, self.zone_name) for one in self.definitions if one["uniqueFieldID"] == column.name)
        return [one for one in made if one]
