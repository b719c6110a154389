"""The table of contacts: its columns, changes of values, and bulk actions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.labels.counts import CONTACTS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.bulk import BulkList, ChangeMany, StartForMany
from core.web.filters import SINCE, Choice
from core.web.forms import Field, Form
from core.web.forms.record_forms import column_of, form_field, record_choices, record_fields
from core.web.lists import Column
from core.web.organization_names import OrganizationCell
from core.web.tables import ChooseColumns, Row, TablePage
from crm.contacts.pages.base import ContactPage, body_of, linked_values

CUSTOM_COLUMNS = 2
"""The number of custom fields among the columns that are shown when nobody has chosen any."""
ANSWERED = Choice("repliedAt", gettext_lazy("Replied"), (SINCE,), kind="date")
"""The filter that a number of the home page leads to."""
IMPORT = ("importId", "contact/import", gettext_lazy("Import"))
"""Field, path and label of the filter from pages of imports."""
MAX_RECIPIENTS = 100
"""Maximum number of single people for an outreach from the list: an address has space for no more ids."""


class ContactTable(ContactPage, TablePage):
    """Shared parts of the pages of the table of contacts."""

    resource = "contact"
    listed_at = "contacts"
    record_page = "contact"
    usual = ("name", "email", "tags", "createdAt")
    edited_in_record = ("organization", "owner", "category", "tags")

    def known_columns(self) -> list[Column]:
        return [
            Column("name", gettext("Name"), "name", css="first", kind="who", fixed=True, editable=True),
            Column("email", gettext("Email"), "email", css="second", kind="email", editable=True),
            Column("contactNumber", gettext("Phone"), css="num", kind="phone", editable=True),
            *(column_of(definition) for definition in self.own_fields),
            Column("organization", gettext("Organization"), kind="organization"),
            Column("owner", gettext("Owner"), "owner.name"),
            Column("category", gettext("Category"), "category.name"),
            Column("tags", gettext("Tags"), css="aside", kind="tags"),
            Column("unsubscribed", gettext("Unsubscribed")),
            Column("createdBy", gettext("Added by"), "createdBy.name"),
            Column("createdAt", gettext("Added"), "createdAt", css="muted num", kind="when"),
            Column("updatedAt", gettext("Changed"), "updatedAt", css="muted num", kind="when"),
        ]

    @cached_property
    def usual_columns(self) -> list[str]:
        organization = ["organization"] if self.company else []
        most = CUSTOM_COLUMNS - len(organization)  # it stands for the text field of the company
        custom = [definition["uniqueFieldID"] for definition in self.own_fields[:most]]
        return [*self.usual[:2], *organization, *custom, *self.usual[2:]]

    def columns_of(self, names: Sequence[str]) -> list[Column]:
        """Return the columns of these names; the organization stands for the text field of the company."""
        return super().columns_of(["organization" if name == self.company_key else name for name in names])

    def row(self, record: Values) -> Row:
        name = record["name"] or ""
        if text := self.company_text(record):
            record = {**record, "organization": {"_id": "", "id": "", "name": text}}
        return Row(
            record["_id"],
            f"contacts/{record['_id']}",
            name or gettext("No name"),
            name or record["email"] or "",
            record,
        )


class ContactList(ContactTable, BulkList):
    """Shared parts of the list and the bulk change: the selection of contacts in the address."""

    owned_by = ("owner", gettext_lazy("Owner"))
    count = CONTACTS
    change_label = ngettext_lazy("Change %(count)s contact", "Change %(count)s contacts")
    changing = gettext_lazy("Changing contacts")
    changed = ngettext_lazy("Changed %(count)s contact", "Changed %(count)s contacts")
    deleting = gettext_lazy("Deleting contacts")
    deleted = ngettext_lazy("Deleted %(count)s contact", "Deleted %(count)s contacts")

    @cached_property
    def choices(self) -> list[Choice]:
        """The fields that people filter by."""
        categories = self.options_of("contact-category")
        definitions = [
            definition
            for definition in self.definitions
            if definition["uniqueFieldID"] != self.company_key or self.is_filtered(self.company_key)
        ]  # the organization stands for the text field of the company
        filters = record_choices("contact", definitions, self.tag_options, categories=categories)
        if self.is_filtered("segment"):  # the names are asked for only then
            pairs = [(option.value, option.label) for option in self.options_of("segment")]
            filters.append(Choice("segment", gettext("Segment"), ("in",), pairs))
        filters += [self.link_choice(*IMPORT)] if self.is_filtered(IMPORT[0]) else []
        filters += [ANSWERED] if self.is_filtered(ANSWERED.name) else []
        return self.with_owners(filters)

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Return tags, category and the company's own fields; unique values cannot be changed in bulk."""
        own = [
            (definition["uniqueFieldID"], definition["name"])
            for definition in self.own_fields
            if form_field(definition)
        ]
        named = (
            ("tags", gettext("Tags"), "tag"),
            ("organization", gettext("Organization"), "contact"),
            ("owner", gettext("Owner"), "member"),
            ("category", gettext("Category"), "contact-category"),
        )
        return [*((name, label) for name, label, module in named if self.may(module)), *own]


class Contacts(ContactList):
    path = name = "contacts"
    title = gettext_lazy("Contacts")
    template = "web/contacts/list.html"

    def show(self) -> Values:
        answer = self.read_list("contact", self.state.query())
        rows = [self.row(contact) for contact in answer.data]
        return {
            **self.context(),
            "choices": self.choices,
            "rows": rows,
            "field_values": self.custom_values(rows, self.columns),
            "total": answer.total,
            "counted": self.count.of(answer.total),
            "changes": self.changes if self.may("contact", "PUT") else [],
            "can_be_segment": self.can_be_segment,
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    @property
    def can_be_segment(self) -> bool:
        """Return whether the filters can be saved as a segment, which supports neither search nor the filters of
        links."""
        names = {condition.name for condition in self.state.filters}
        more = self.state.search or self.state.fixed
        links = {"segment", IMPORT[0], ANSWERED.name, self.owned_by[0]}
        return bool(names) and not more and names.isdisjoint(links)

    def do_write(self) -> HttpResponse:
        """Start an outreach to those who are chosen; a filter goes by way of a segment."""
        ids = self.request.POST.getlist("ids")
        if "all" not in self.request.POST and ids and len(ids) <= MAX_RECIPIENTS:
            return self.redirect_with_toast(to=self.address("outreach-new", contactIds=ids))
        message = gettext("Choose at most %(most)s contacts, or save the filters as a segment.") % {
            "most": MAX_RECIPIENTS
        }
        return self.refuse(Answer(400, {"message": message}), self.request.path + self.state.link())

    def do_merge(self) -> HttpResponse:
        return self.redirect_with_toast(to=self.address("contact-merge", ids=self.request.POST.getlist("ids")))


class StartForContacts(StartForMany, ContactList):
    path = "contacts/start"
    name = "contacts-start"
    title = gettext_lazy("Start a workflow for contacts")


class ChangeContacts(ChangeMany, ContactList):
    path = "contacts/change"
    name = "contacts-change"
    title = gettext_lazy("Change contacts")

    def field(self, name: str) -> Field | None:
        if name == "tags":
            return self.tags_field()
        if name == "category":
            return self.category_field()
        if name == "owner":
            return self.owner_field()
        if name == "organization":
            return next(iter(self.organization_fields()), None)
        definitions = [definition for definition in self.own_fields if definition["uniqueFieldID"] == name]
        return next(iter(record_fields(self, definitions)), None)

    def more_fields(self) -> list[Field]:
        return self.new_tag_fields() if self.what.name == "tags" else []

    def chosen_value(self, form: Form) -> Any:
        value = super().chosen_value(form)
        if self.what.name == "organization":
            return self.organization_of(form, value)
        return self.with_new_tag(form, list(value or ())) if self.what.name == "tags" else value


class ContactColumns(ContactTable, ChooseColumns):
    path = "contacts/columns"
    name = "contact-columns"
    title = gettext_lazy("Columns of contacts")


class ContactCell(OrganizationCell, ContactTable):
    path = "contacts/<str:id>/cell"
    name = "contact-cell"
    tab_name = gettext_lazy("Edit a contact")

    def fields(self, column: Column) -> list[Field]:
        if column.name == "category":
            return [self.category_field()]
        if column.name == "tags":
            return [self.tags_field()]
        if column.name == "owner":
            return [self.owner_field()]
        if column.name == "organization":
            return self.organization_fields()
        names = ("countryCode", "number") if column.name == "contactNumber" else (column.name,)
        if system_fields := [field for field in self.system_fields() if field.name in names]:
            return system_fields
        definitions = [field for field in self.definitions if field["uniqueFieldID"] == column.name]
        return record_fields(self, definitions, self.record["formData"])

    def values(self, record: Values) -> Values:
        return {**record["formData"], **linked_values(record)}

    def body(self, values: Values) -> JsonObject:
        return body_of(values)

    def cell_form(self, values: Values) -> Form:
        form = super().cell_form(values)
        if self.column.name == "organization" and not values.get("organization"):
            form.initial["organization"] = self.company_text(self.record)
        single = {name: [self.record[name]] for name in ("category", "owner")}
        form.name_chosen(**single, tags=self.record["tags"])
        return form
