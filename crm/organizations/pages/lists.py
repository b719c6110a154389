"""The table of organizations: its columns, changes of values, and bulk actions."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.labels.counts import ORGANIZATIONS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.bulk import BulkList, ChangeMany
from core.web.filters import Choice
from core.web.forms import Field, Form
from core.web.forms.record_forms import column_of, form_field, record_choices, record_fields
from core.web.lists import Column
from core.web.tables import ChooseColumns, EditCell, Row, TablePage
from crm.organizations.pages.base import OrganizationPage, body_of, linked_values

CUSTOM_COLUMNS = 2
"""The number of custom fields among the columns that are shown when nobody has chosen any."""
IMPORT = ("importId", "organization/import", gettext_lazy("Import"))
"""Field, path and label of the filter from pages of imports."""
MATCHED = ngettext_lazy("Matched %(count)s contact", "Matched %(count)s contacts")
UNMATCHED = {"advancedFilters": {"field": "organization", "operator": "isEmpty"}}
"""The filter of contacts without an organization."""


class OrganizationTable(OrganizationPage, TablePage):
    """Shared parts of the pages of the table of organizations."""

    resource = "organization"
    listed_at = "organizations"
    record_page = "organization"
    usual = ("name", "domain", "owner", "tags", "createdAt")
    edited_in_record = ("owner", "tags")

    def known_columns(self) -> list[Column]:
        return [
            Column("name", gettext("Name"), "name", css="first", kind="who", fixed=True, editable=True),
            Column("domain", gettext("Domain"), "domain", css="second", editable=True),
            *(column_of(definition) for definition in self.own_fields),
            Column("owner", gettext("Owner"), "owner.name"),
            Column("tags", gettext("Tags"), css="aside", kind="tags"),
            Column("createdBy", gettext("Added by"), "createdBy.name"),
            Column("createdAt", gettext("Added"), "createdAt", css="muted num", kind="when"),
            Column("updatedAt", gettext("Changed"), "updatedAt", css="muted num", kind="when"),
        ]

    @cached_property
    def usual_columns(self) -> list[str]:
        custom = [definition["uniqueFieldID"] for definition in self.own_fields[:CUSTOM_COLUMNS]]
        return [*self.usual[:2], *custom, *self.usual[2:]]

    def row(self, record: Values) -> Row:
        return Row(record["_id"], f"organizations/{record['_id']}", record["name"], record["name"], record)


class OrganizationList(OrganizationTable, BulkList):
    """Shared parts of the list and the bulk change: the selection of organizations in the address."""

    owned_by = ("owner", gettext_lazy("Owner"))
    count = ORGANIZATIONS
    change_label = ngettext_lazy("Change %(count)s organization", "Change %(count)s organizations")
    changing = gettext_lazy("Changing organizations")
    changed = ngettext_lazy("Changed %(count)s organization", "Changed %(count)s organizations")
    deleting = gettext_lazy("Deleting organizations")
    deleted = ngettext_lazy("Deleted %(count)s organization", "Deleted %(count)s organizations")

    @cached_property
    def choices(self) -> list[Choice]:
        """The fields that people filter by."""
        filters = record_choices("organization", self.definitions, self.tag_options)
        filters += [self.link_choice(*IMPORT)] if self.is_filtered(IMPORT[0]) else []
        return self.with_owners(filters)

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Return tags, owner and the company's own fields; names are changed one at a time."""
        own = [
            (definition["uniqueFieldID"], definition["name"])
            for definition in self.own_fields
            if form_field(definition)
        ]
        named = (("tags", gettext("Tags"), "tag"), ("owner", gettext("Owner"), "member"))
        return [*((name, label) for name, label, module in named if self.may(module)), *own]


class Organizations(OrganizationList):
    path = name = "organizations"
    title = gettext_lazy("Organizations")
    template = "web/organizations/list.html"

    def show(self) -> Values:
        answer = self.read_list("organization", self.state.query())
        rows = [self.row(record) for record in answer.data]
        return {
            **self.context(),
            "choices": self.choices,
            "rows": rows,
            "field_values": self.custom_values(rows, self.columns),
            "total": answer.total,
            "counted": self.count.of(answer.total),
            "changes": self.changes if self.may("contact", "PUT") else [],
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def do_merge(self) -> HttpResponse:
        return self.redirect_with_toast(to=self.address("organization-merge", ids=self.request.POST.getlist("ids")))

    def do_match(self) -> HttpResponse:
        """Give contacts without an organization the one that they name."""
        answer = self.ask("POST", "contact/match-organizations", UNMATCHED, {"selectAll": True})
        return self.redirect_after_bulk(answer, gettext("Matching contacts"), MATCHED, "updatedCount")


class ChangeOrganizations(ChangeMany, OrganizationList):
    path = "organizations/change"
    name = "organizations-change"
    title = gettext_lazy("Change organizations")

    def field(self, name: str) -> Field | None:
        if name == "tags":
            return self.tags_field()
        if name == "owner":
            return self.owner_field()
        definitions = [definition for definition in self.own_fields if definition["uniqueFieldID"] == name]
        return next(iter(record_fields(self, definitions)), None)


class OrganizationColumns(OrganizationTable, ChooseColumns):
    path = "organizations/columns"
    name = "organization-columns"
    title = gettext_lazy("Columns of organizations")


class OrganizationCell(OrganizationTable, EditCell):
    path = "organizations/<str:id>/cell"
    name = "organization-cell"
    tab_name = gettext_lazy("Edit an organization")

    def fields(self, column: Column) -> list[Field]:
        if column.name == "owner":
            return [self.owner_field()]
        if column.name == "tags":
            return [self.tags_field()]
        if system_fields := [field for field in self.system_fields() if field.name == column.name]:
            return system_fields
        definitions = [field for field in self.definitions if field["uniqueFieldID"] == column.name]
        return record_fields(self, definitions, self.record["formData"])

    def values(self, record: Values) -> Values:
        return {**record["formData"], **linked_values(record)}

    def body(self, values: Values) -> JsonObject:
        return body_of(values)

    def cell_form(self, values: Values) -> Form:
        form = super().cell_form(values)
        form.name_chosen(owner=[self.record["owner"]], tags=self.record["tags"])
        return form
