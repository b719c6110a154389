"""Shared parts of the pages of leads."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from core.text.labels.lead_places import PLACE_LABELS
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Option
from core.web.forms.record_forms import fields_query, record_fields
from core.web.navigation.places import LEADS, MenuItem
from core.web.organization_names import NamesOrganization
from crm.leads.types import LeadData

LINKED = (
    *("contact", "productServices", "teamMember", "team", "organization", "tags"),
    *("stage", "lostReason", "expectedCloseAt"),
)
"""Records that a lead refers to, beside its values in the API's body."""
CLOSE = "expectedCloseAt"
LINKED_FIELDS = {
    "tags": (gettext_lazy("Tags"), "tag", "checks"),
    "productServices": (gettext_lazy("Products and services"), "product-service", "checks"),
    "team": (gettext_lazy("Team"), "team", "select"),
}
"""Name -> label, path and kind of the form's field."""
ALL = {"n": "200", "cursorPagination": "true"}
"""All pipelines, or all reasons: a company has no more."""
ONLY_LOST = gettext_lazy("Only a lost lead has a reason for loss.")
TONES = {"won": "ok", "lost": "bad", "new": "info"}
"""Status or kind of a stage -> its color."""
SINGLE = ("teamMember", "team", "stage", "lostReason")
"""Linked records of which a lead has one or none."""


def toast_text(*parts: str) -> str:
    """Return the non-empty texts of a toast as one text."""
    return " ".join(str(part) for part in parts if part)


def body_of(values: Values) -> JsonObject:
    """Return the API's body for values of a form."""
    linked = {name: values[name] for name in LINKED if name in values}
    for name in (*SINGLE, CLOSE):
        if name in linked:
            linked[name] = linked[name] or None
    return {"formData": {name: value for name, value in values.items() if name not in linked}, **linked}


def linked_values(lead: LeadData, zone: str) -> JsonObject:
    """Return a lead's references and its expected close by the names of the forms: ids, and the organization's name."""
    close = lead["expectedCloseAt"]
    day = datetime.fromisoformat(close).astimezone(ZoneInfo(zone)).date().isoformat() if close else ""
    several: JsonObject = {
        "productServices": [product["_id"] for product in lead["productServices"]],
        "tags": [tag["_id"] for tag in lead["tags"]],
    }
    records: JsonObject = dict(lead)
    single = {name: (records[name] or {}).get("_id") for name in SINGLE}
    organization = (lead["organization"] or {}).get("name", "")
    return {**several, **single, CLOSE: day, "organization": organization}


class ShownLead(LeadData):
    """A lead with the labels of its status and its source."""

    status_label: str
    stage_label: str
    source_label: str
    tone: str


class LeadPage(NamesOrganization):
    """Shared parts of the pages of leads: the company's fields, the pipeline, and the records that leads refer to."""

    module = "lead"
    menu = MenuItem(
        gettext_lazy("All leads"),
        LEADS,
        10,
        "target",
        keywords=gettext_lazy("deals opportunities pipeline stages board sales"),
    )

    @cached_property
    def definitions(self) -> list[Values]:
        """The definitions of the leads' fields, or none if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("lead")) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else []

    def system_options(self, name: str) -> list[Option]:
        """Return the options of a system field: those of status are the pipeline."""
        option_lists = (
            entry["options"] for entry in self.definitions if entry["isSystem"] and entry["uniqueFieldID"] == name
        )
        return [Option(entry["value"], entry["label"] or entry["value"]) for entry in next(option_lists, ())]

    @cached_property
    def statuses(self) -> list[Option]:
        return self.system_options("status")

    @cached_property
    def labels(self) -> dict[str, str]:
        """Status -> its label."""
        return {status.value: status.label for status in self.statuses}

    @cached_property
    def sources(self) -> dict[str, str]:
        """Source -> its label."""
        return {source.value: source.label for source in self.system_options("source")}

    def status_label(self, status: str | None) -> str:
        return self.labels.get(status or "") or (status or _("No status")).capitalize()

    def with_labels(self, lead: LeadData) -> ShownLead:
        """Return the lead with the label of its status."""
        status, source = lead["status"], lead["source"]
        return {
            **lead,
            "status_label": self.status_label(status),
            "stage_label": (lead["stage"] or {}).get("name") or self.status_label(status),
            "source_label": self.sources.get(source, source),
            "tone": TONES.get(status, ""),
        }

    @cached_property
    def members(self) -> list[Option]:
        """Return the members to whom leads can be assigned."""
        return self.options_of("member", fields="name,email", filters={"status": ["owner", "accepted"]})

    def form_fields(self, values: Values | None = None) -> list[Field]:
        """Return the fields of a lead's form. The stage, which decides about the status, stands in for it."""
        fields = self.value_fields(values)
        if self.stage_options:
            stage = self.linked_field("stage")
            stage.initial = self.first_stage
            fields = [stage, *(field for field in fields if field.name != "status")]
        return [*fields, self.linked_field(CLOSE), *self.organization_fields()]

    def value_fields(self, values: Values | None = None) -> list[Field]:
        """Return the form's fields of a lead's own values, in the company's order."""
        shown = [definition for definition in self.definitions if not definition["hide"]]
        return record_fields(self, shown, values) or [
            Field("value", _("Value"), "number"),
            Field("notes", _("Notes"), "textarea"),
        ]

    def linked_field(self, name: str) -> Field:
        """Return the field of the records that a lead refers to."""
        if name == "teamMember":
            return Field(name, _("Assigned to"), "select", options=self.members)
        if name == CLOSE:
            return Field(name, PLACE_LABELS[name], "date")
        if name == "lostReason":
            return Field(name, PLACE_LABELS[name], "select", options=self.reasons)
        if name == "stage":
            return Field(name, PLACE_LABELS[name], "select", required=True, options=self.stage_options)
        label, path, kind = LINKED_FIELDS[name]
        return Field(name, label, kind, options=self.options_of(path))

    @cached_property
    def pipelines(self) -> list[Values]:
        """The company's pipelines with their stages, the default one first."""
        query = {"sortBy": "isDefault,name", "sortOrder": "desc,asc", "fields": "name,isDefault,stages"}
        answer = self.ask("GET", "pipeline", {**query, **ALL})
        return list(answer.data) if answer.ok else []

    @cached_property
    def reasons(self) -> list[Option]:
        """The reasons for which a lead can be lost."""
        query = {"sortBy": "name", "sortOrder": "asc", "fields": "name"}
        answer = self.ask("GET", "lost-reason", {**query, **ALL})
        return [Option(row["_id"], row["name"]) for row in (answer.data if answer.ok else ())]

    @property
    def stage_options(self) -> list[Option]:
        """The stages of all pipelines, below the names of their pipelines if there are several."""
        several = len(self.pipelines) > 1
        return [
            Option(stage["_id"], stage["name"], group=pipeline["name"] if several else "")
            for pipeline in self.pipelines
            for stage in pipeline["stages"]
        ]

    @property
    def first_stage(self) -> str:
        """The id of the stage of a new lead: that of the company's default status, or the first one."""
        stages = [stage for pipeline in self.pipelines for stage in pipeline["stages"]]
        definition = next((entry for entry in self.definitions if entry["uniqueFieldID"] == "status"), None)
        status = definition["defaultValue"] if definition else None
        usual = (stage["_id"] for stage in stages if status and stage["status"] == status)
        return str(next(usual, stages[0]["_id"]))

    def kind_of_stage(self, id: str) -> str:
        """Return the kind of a stage; empty for one that the company lacks."""
        stages = (stage for pipeline in self.pipelines for stage in pipeline["stages"])
        return next((stage["kind"] for stage in stages if stage["_id"] == id), "")

    def kind_of_status(self, status: str) -> str:
        """Return the kind of the first stage whose leads have the status; empty for one without a stage."""
        stages = (stage for pipeline in self.pipelines for stage in pipeline["stages"])
        return next((stage["kind"] for stage in stages if stage["status"] == status), "")

    def move(self, id: str, to: str) -> HttpResponse:
        """Give the lead the stage that the form sent, and the reason for a loss, for which another page asks."""
        stage = self.request.POST.get("stage", "")
        if "lostReason" not in self.request.POST and self.kind_of_stage(stage) == "lost" and self.reasons:
            return HttpResponseRedirect(self.address("lead-move", id, stage=stage))
        body = {"stage": stage}
        if reason := self.request.POST.get("lostReason"):
            body["lostReason"] = reason
        answer = self.ask("PUT", f"lead/{id}", None, body)
        if not answer.ok:
            # Back to the question, where the list of reasons is, rather than to a page that does not ask for one.
            asks_again = answer.name == "LostReasonRequired_400"
            return self.refuse(answer, self.address("lead-move", id, stage=stage) if asks_again else to)
        name = (answer.data["stage"] or {}).get("name", "")
        text = toast_text(_("Moved to %(status_label)s") % {"status_label": name}, answer.notice)
        return self.redirect_with_toast(text, to, undo=answer.job)
