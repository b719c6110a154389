"""The columns of the table of leads, and values that are changed in it."""

from __future__ import annotations

from typing import cast

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form
from core.web.forms.record_forms import column_of, record_fields, shown_fields
from core.web.lists import Column
from core.web.organization_names import OrganizationCell
from core.web.tables import ChooseColumns, Row, TablePage
from crm.leads.pages.base import CLOSE, LINKED, ONLY_LOST, SINGLE, LeadPage, body_of, linked_values
from crm.leads.types import LeadData


class LeadTable(LeadPage, TablePage):
    """Shared parts of the pages of the table of leads."""

    resource = "lead"
    listed_at = "leads"
    record_page = "lead"
    edited_in_record = (
        *("organization", "productServices", "tags", "teamMember", "team"),
        *("lostReason", CLOSE),
    )
    usual = ("contact", "stage", "value", "productServices", "teamMember", "source", "createdAt")

    def known_columns(self) -> list[Column]:
        system = {definition["uniqueFieldID"] for definition in self.definitions if definition["isSystem"]} or {
            "value",
            "notes",
        }
        return [
            Column("contact", _("Contact"), "contact.name", css="first", kind="who", fixed=True),
            Column("stage", _("Stage"), "stage.name", css="aside", kind="stage", editable=True),
            Column("status", _("Status"), "status", kind="status", editable="status" in system),
            Column("pipeline", _("Pipeline"), "pipeline.name"),
            Column("value", _("Value"), "value", css="second right num", kind="money", editable="value" in system),
            Column("organization", _("Organization"), kind="organization"),
            Column("productServices", _("Products"), "productServices.name"),
            Column(CLOSE, _("Expected close"), CLOSE, css="num", kind="when"),
            Column("lostReason", _("Reason for loss")),
            Column("teamMember", _("Assigned to"), "teamMember.name"),
            Column("team", _("Team"), "team.name"),
            Column("source", _("Source"), "source", labels=self.sources, editable="source" in system),
            Column("contact.email", _("Email"), "contact.email", kind="email"),
            Column("contact.contactNumber", _("Phone"), "contact.contactNumber", css="num", kind="phone"),
            Column("notes", _("Notes"), editable="notes" in system),
            Column("tags", _("Tags"), kind="tags"),
            *(column_of(definition) for definition in shown_fields(self.definitions)),
            Column("statusChangedAt", _("In stage since"), "statusChangedAt", css="muted num", kind="when"),
            Column("createdAt", _("Added"), "createdAt", css="muted num", kind="when"),
            Column("updatedAt", _("Changed"), "updatedAt", css="muted num", kind="when"),
        ]

    def row(self, record: Values) -> Row:
        lead = cast(LeadData, record)
        who = lead["contact"]["name"] or lead["contact"]["email"] or ""
        return Row(
            lead["_id"],
            f"leads/{lead['_id']}",
            who or _("No name"),
            who,
            self.with_labels(lead),
        )


class LeadColumns(LeadTable, ChooseColumns):
    path = "leads/columns"
    name = "lead-columns"
    title = gettext_lazy("Columns of leads")


class LeadCell(OrganizationCell, LeadTable):
    path = "leads/<str:id>/cell"
    name = "lead-cell"
    tab_name = gettext_lazy("Edit a lead")

    def fields(self, column: Column) -> list[Field]:
        if column.name == "organization":
            return self.organization_fields()
        if column.name in LINKED:
            return [self.linked_field(column.name)]
        definitions = [field for field in self.definitions if field["uniqueFieldID"] == column.name]
        plain = {"value": Field("value", _("Value"), "number"), "notes": Field("notes", _("Notes"), "textarea")}
        return record_fields(self, definitions, self.record["formData"]) or [plain[column.name]]

    def values(self, record: Values) -> Values:
        return {**record["formData"], **linked_values(cast(LeadData, record), self.zone_name)}

    def body(self, values: Values) -> JsonObject:
        return body_of(values)

    def cell_body(self, form: Form, values: Values) -> JsonObject:
        stage = self.request.POST.get("stage", (self.record["stage"] or {}).get("_id", ""))
        status = self.request.POST.get("status")
        kind = self.kind_of_stage(stage) if status is None else self.kind_of_status(status)
        if values.get("lostReason") and kind != "lost":
            form.add_error("lostReason", str(ONLY_LOST))
        return super().cell_body(form, values)

    @property
    def asks_reason(self) -> bool:
        """Return whether the sent stage or status is of lost leads, which have a reason."""
        sent = self.request.POST
        kinds = {"stage": self.kind_of_stage, "status": self.kind_of_status}
        kind_of = kinds.get(self.column.name)
        return kind_of is not None and kind_of(sent.get(self.column.name, "")) == "lost" and bool(self.reasons)

    def do_save(self) -> HttpResponse:
        """Save the value. A stage of lost leads asks for the reason first, as the board does."""
        if not self.asks_reason or "lostReason" in self.request.POST:
            return super().do_save()
        form = self.cell_form(self.values(self.record)).bind(self.request.POST)
        return self.page(self.editing(form, self.record), status=422)

    def cell_form(self, values: Values) -> Form:
        form = super().cell_form(values)
        is_sent = self.request.method == "POST"
        takes_reason = self.asks_reason or "lostReason" in self.request.POST if is_sent else bool(self.reasons)
        if self.column.name in ("stage", "status") and takes_reason:
            reason = self.linked_field("lostReason")
            reason.placeholder = _("Choose a reason") if is_sent and self.asks_reason else _("Only for lost leads")
            form.initial["lostReason"] = values.get("lostReason")
            form.insert(reason)
        several = {name: self.record[name] for name in ("productServices", "tags")}
        form.name_chosen(**several, **{name: [self.record[name]] for name in SINGLE})
        return form
