"""A lead, and a new one."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.contact_picker import PicksContact
from core.web.forms import REST, Field, Fieldset, Form
from core.web.forms.conflicts import RETRIES
from core.web.forms.dial_codes import drop_unused_dial_code, suggest_dial_code
from core.web.forms.record_forms import fields_query, form_values
from core.web.record_pages import DIRECTIONS, OUTCOMES, RecordPage, Related, RelatedPage, RelatedRow
from core.web.words.quotes import STATUSES as QUOTE_STATUSES
from crm.leads.pages.base import ONLY_LOST, LeadPage, ShownLead, body_of, linked_values, toast_text
from crm.leads.pages.table import LeadTable
from crm.leads.types import LeadData

CONTACT = (
    Field("name", gettext_lazy("Name")),
    Field("email", gettext_lazy("Email"), "email"),
    Field(
        "countryCode",
        gettext_lazy("Country code"),
        "tel",
        placeholder="+44",
        help_text=gettext_lazy("Leave empty for numbers that begin with +."),
    ),
    Field("number", gettext_lazy("Phone number"), "tel", placeholder="7400 123456"),
)
NAMES_OF_NEW = tuple(field.name for field in CONTACT)
FIELDSETS = (
    Fieldset(gettext_lazy("Contact"), ("contact", "name", "email", ("countryCode", "number"))),
    Fieldset(
        gettext_lazy("Lead"),
        (
            ("stage", "status", "source"),
            "lostReason",
            ("value", "expectedCloseAt"),
            "organization",
            "productServices",
            REST,
            "notes",
            "tags",
        ),
    ),
    Fieldset(gettext_lazy("Assignment"), ("teamMember",)),
)
NEEDED = {"name": False, "email": True, "number": True}
"""Value of a contact -> whether a new one needs it by default."""


class NewLead(LeadPage, PicksContact):
    path = "leads/new"
    name = "lead-new"
    title = gettext_lazy("New lead")
    action = title
    template = "web/leads/new.html"

    @cached_property
    def all_definitions(self) -> list[Values]:
        """The definitions of the fields of leads and of contacts, or none if the reader may not see them."""
        query = {**fields_query("lead"), "filters": {"panel": ["lead", "contact"]}, "n": "400"}
        answer = self.ask("GET", "custom-field", query) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else []

    @cached_property
    def definitions(self) -> list[Values]:
        return [definition for definition in self.all_definitions if definition["panel"] == "lead"]

    @cached_property
    def of_new(self) -> set[str]:
        """The values that a new contact needs."""
        definitions = [definition for definition in self.all_definitions if definition["panel"] == "contact"]
        required_by_key = {
            definition["uniqueFieldID"]: definition["required"] for definition in definitions if definition["isSystem"]
        }
        return {name for name, usual in NEEDED.items() if required_by_key.get(name, usual)}

    def form(self) -> Form:
        picker = self.contact_field(help_text=gettext("Pick a contact, or enter a new one."))
        fields: list[Field] = [picker] if picker else []
        # A contact that was picked needs no values of a new one, whose fields are folded away.
        required_names = set() if self.request.POST.get("contact") else self.of_new
        fields += [field.copy(required=field.name in required_names) for field in CONTACT]
        if self.request.method == "GET":
            suggest_dial_code(self, fields)
        fields += self.form_fields()
        products = self.linked_field("productServices")
        fields += [products] if products.options else []
        if self.members:
            fields.append(self.linked_field("teamMember"))
            fields[-1].help_text = gettext("Leave empty to assign automatically.")
        return Form(fields=fields, fieldsets=FIELDSETS)

    def show(self) -> Values:
        return {"form": self.form() if self.may("lead", "POST") else None}

    def with_form(self, form: Form, status: int = 200) -> HttpResponse:
        return self.page({"form": form if self.may("lead", "POST") else None}, status=status)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.with_form(form, 422)
        values = {name: value for name, value in form.cleaned_data.items() if value not in ("", None, [])}
        if "contact" in values:
            # The fields of a new contact are folded away, and what they hold belongs to nobody.
            values = {name: value for name, value in values.items() if name not in NAMES_OF_NEW}
        if "organization" in values:
            values["organization"] = self.organization_of(form, values["organization"])
            if form.errors:
                return self.with_form(form, 422)
        answer = self.ask("POST", "lead", None, body_of(drop_unused_dial_code(form, values)))
        if not answer.ok:
            form.refuse(answer)
            return self.with_form(form, 422)
        return self.redirect_with_toast(
            toast_text(gettext("Lead created"), answer.notice),
            self.address("lead", answer.data["_id"]),
            undo=answer.job,
        )


class LeadDetail(RecordPage, LeadTable):
    path = "leads/<str:id>"
    name = "lead"
    tab_name = gettext_lazy("Lead")
    record_kind = ("lead", gettext_lazy("Leads"))
    template = "web/leads/detail.html"
    facts = (
        "contact.email",
        "contact.contactNumber",
        "organization",
        "value",
        "source",
        REST,
        "stage",
        "pipeline",
        "expectedCloseAt",
        "lostReason",
        "productServices",
        "tags",
        "notes",
        "teamMember",
        "team",
        "statusChangedAt",
    )
    cell_page = "lead-cell"
    related_page = "lead-related"
    composer_names = ("note", "comment", "call", "meeting", "task")
    history_module = "lead-activity"

    @cached_property
    def lead(self) -> ShownLead:
        return self.with_labels(self.read(f"lead/{self.params['id']}").data)

    def person(self) -> Values:
        return self.lead["contact"]

    def show(self) -> Values:
        context = {
            "lead": self.lead,
            "title": self.lead["contact"]["name"] or gettext("Lead"),
        }
        if "edit" in self.request.GET and self.may("lead", "PUT"):
            return {**context, "form": self.values_form(self.values)}
        moves = {"stages": self.stage_options} if self.may("lead", "PUT") else {}
        return {**context, **moves, **self.fact_context(self.lead), **self.history()}

    def values_form(self, values: Values) -> Form:
        fields = self.form_fields(values)
        fields += [field for name in ("productServices", "tags") if (field := self.linked_field(name)).options]
        if self.reasons:
            fields.append(self.linked_field("lostReason"))
            fields[-1].help_text = gettext("Only for lost leads.")
        form = Form(fields=fields, initial=values, fieldsets=FIELDSETS)
        form.name_chosen(lostReason=[self.lead["lostReason"]])
        form.name_chosen(productServices=self.lead["productServices"], tags=self.lead["tags"])
        return form

    @property
    def values(self) -> JsonObject:
        """The lead's values by the names of the forms."""
        return {**form_values(self.definitions, self.lead["formData"]), **linked_values(self.lead, self.zone_name)}

    def is_lost(self, form: Form) -> bool:
        """Return whether the form's stage or status is of lost leads."""
        name = "stage" if "stage" in form.fields else "status"
        if name not in form.fields:
            return self.lead["status"] == "lost"
        kind_of = {"stage": self.kind_of_stage, "status": self.kind_of_status}[name]
        return kind_of(str(form[name].value() or "")) == "lost"

    # What forms do

    def do_save(self) -> HttpResponse:
        for _attempt in range(RETRIES):
            who = (self.lead["updatedBy"] or {}).get("name", "")
            form = self.values_form(self.values).bind(self.request.POST, who)
            if not form.is_valid():
                break
            changed = form.changed(self.values)
            if not changed:
                return self.report_unchanged(self.request.path)
            if changed.get("lostReason") and not self.is_lost(form):
                form.add_error("lostReason", str(ONLY_LOST))
                break
            if "organization" in changed:
                held = self.lead["organization"]
                changed["organization"] = self.organization_of(form, changed["organization"], held)
                if form.errors:
                    break
            body = {**body_of(changed), "unchangedSince": self.lead["updatedAt"]}
            answer = self.ask("PUT", f"lead/{self.params['id']}", None, body)
            if answer.ok:
                return self.redirect_with_toast(
                    toast_text(gettext("Lead saved"), answer.notice), self.request.path, undo=answer.job
                )
            if answer.status != 409:
                form.refuse(answer)
                break
            del self.lead  # somebody was faster
        context = {"lead": self.lead, "title": self.lead["contact"]["name"], "form": form}
        return self.page(context, status=422)

    def do_move(self) -> HttpResponse:
        return self.move(self.params["id"], self.request.get_full_path())

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "lead", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.redirect_with_toast(gettext("Lead deleted"), self.address("leads"), undo=answer.job)


class MoveLead(LeadPage):
    """Asks for the reason for a loss."""

    path = "leads/<str:id>/move"
    name = "lead-move"
    tab_name = gettext_lazy("Move a lead")
    template = "web/leads/move.html"

    def show(self) -> Values:
        lead = self.with_labels(self.read(f"lead/{self.params['id']}").data)
        back = self.address("lead", self.params["id"])
        return {"lead": lead, "reasons": self.reasons, "back": back, "stage": self.request.GET.get("stage", "")}

    def do_move(self) -> HttpResponse:
        return self.move(self.params["id"], self.address("lead", self.params["id"]))


class LeadRelated(LeadPage, RelatedPage):
    path = "leads/<str:id>/related"
    name = "lead-related"
    tab_name = gettext_lazy("Related to a lead")
    record_page = "lead"

    def related(self) -> list[Related]:
        id = self.params["id"]
        lead: LeadData = self.read(f"lead/{id}").data
        kinds = [self.contact(lead)] if self.may("contact") else []
        if self.may("lead-activity"):
            kinds.append(self.tasks("lead"))
        if self.may("meeting"):
            kinds.append(self.meetings(self.address("meeting-new", lead=id), lead=id))
        if self.may("lead-activity"):
            kinds.append(self.calls(id))
        kinds.append(self.quotes(id))
        kinds.append(self.products(lead))
        return kinds

    def contact(self, lead: LeadData) -> Related:
        contact = lead["contact"]
        name = contact["name"] or contact["email"] or gettext("No name")
        address = "" if contact["isDeleted"] else self.address("contact", contact["_id"])
        return Related(gettext("Contact"), "", [RelatedRow(address, name, note=contact["email"] or "")])

    def quotes(self, id: str) -> Related:
        """Return the latest versions of the lead's quotes, the newest first."""
        records, total = self.few("quote", "createdAt", lead=id, current=True)
        rows = [
            RelatedRow(
                self.address("quote", quote["_id"]),
                quote["title"],
                note=self.reader.formats.money(Decimal(str(quote["total"])), quote["currency"]),
                badge=str(QUOTE_STATUSES[quote["status"]][0]),
                at=quote["createdAt"],
            )
            for quote in records
        ]
        add = self.address("quote-new", lead=id) if self.may("lead", "POST") else ""
        return Related(gettext("Quotes"), gettext("No quotes."), rows, total, add, gettext("New quote"))

    def products(self, lead: LeadData) -> Related:
        may = self.may("product-service")
        rows = [
            RelatedRow(self.address("product", product["_id"]) if may else "", product["name"])
            for product in lead["productServices"]
        ]
        return Related(gettext("Products"), gettext("No products."), rows, len(rows))

    def calls(self, id: str) -> Related:
        """Return the calls with the lead, the latest first."""
        records, total = self.few("calllog", "startedAt", lead=id)
        directions, outcomes = dict(DIRECTIONS), dict(OUTCOMES)
        rows = [
            RelatedRow(
                self.address("call", call["_id"]),
                str(directions.get(call["direction"], call["direction"])),
                note=call["notes"] or "",
                badge=str(outcomes.get(call["outcome"], call["outcome"])),
                at=call["startedAt"],
            )
            for call in records
        ]
        return Related(gettext("Calls"), gettext("No calls."), rows, total)
