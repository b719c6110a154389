"""A lead, and a new one."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.field_values import field_values
from core.web.forms import Field, Form
from core.web.forms.conflicts import RETRIES
from core.web.forms.record_forms import fields_query, form_values
from core.web.timelines import SIZE, shown_entry
from crm.leads.pages.base import LeadPage, ShownLead, toast_text

TABS = {
    "activity": (gettext_lazy("Activity"), "lead-activity"),
    "follow-ups": (gettext_lazy("Tasks"), "lead-activity"),
    "meetings": (gettext_lazy("Meetings"), "meeting"),
    "calls": (gettext_lazy("Calls"), "lead-activity"),
}
"""Tab of a lead -> its name, and the permission module that opens it."""
BESIDE = ("contact", "productServices", "teamMember", "team", "tags")
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
NEEDED = {"name": False, "email": True, "number": True}
"""Value of a contact -> whether a new one needs it by default."""


def body_of(values: Values) -> JsonObject:
    """Return the API's body for values of a form."""
    beside = {name: values[name] for name in BESIDE if name in values}
    for name in ("teamMember", "team"):
        if name in beside:
            beside[name] = beside[name] or None
    return {"formData": {name: value for name, value in values.items() if name not in beside}, **beside}


class FollowUpForm(Form):
    title = Field(label=gettext_lazy("What"), required=True)
    dueAt = Field(label=gettext_lazy("When"), kind="datetime-local", required=True)


class NewLead(LeadPage):
    path = "leads/new"
    name = "lead-new"
    title = gettext_lazy("New lead")
    action = title
    template = "web/leads/new.html"

    @cached_property
    def contact(self) -> Values | None:
        """The contact that the address names, whose lead it will be."""
        id = self.request.GET.get("contact", "")
        return self.read(f"contact/{id}").data if is_id(id) and self.may("contact") else None

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
        fields = [] if self.contact else [field.copy(required=field.name in self.of_new) for field in CONTACT]
        fields += self.value_fields()
        if products := self.options_of("product-service"):
            fields.append(Field("productServices", gettext("Products and services"), "checks", options=products))
        if self.members:
            help = gettext("Leave empty to assign automatically.")
            fields.append(Field("teamMember", gettext("Assigned to"), "select", help_text=help, options=self.members))
        return Form(fields=fields)

    def show(self) -> Values:
        may = self.may("lead", "POST")
        return {"form": self.form() if may else None, "contact": self.contact if may else None}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.page({"form": form, "contact": self.contact}, status=422)
        values = {name: value for name, value in form.cleaned_data.items() if value not in ("", None, [])}
        if self.contact:
            values["contact"] = self.contact["_id"]
        answer = self.ask("POST", "lead", None, body_of(values))
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form, "contact": self.contact}, status=422)
        return self.done(
            toast_text(gettext("Lead created"), answer.warning),
            self.address("lead", answer.data["_id"]),
            undo=answer.job,
        )


class LeadDetail(LeadPage):
    path = "leads/<str:id>"
    name = "lead"
    record_kind = ("lead", gettext_lazy("Leads"))
    template = "web/leads/detail.html"

    @cached_property
    def lead(self) -> ShownLead:
        return self.shown(self.read(f"lead/{self.params['id']}").data)

    @property
    def tabs(self) -> list[tuple[str, str]]:
        return [(name, label) for name, (label, module) in TABS.items() if self.may(module)]

    @property
    def tab(self) -> str:
        """The chosen tab, or the first one that the reader may see."""
        names = [name for name, _ in self.tabs]
        chosen = self.request.GET.get("tab", "")
        return chosen if chosen in names else next(iter(names), "")

    def show(self) -> Values:
        edit = self.request.GET.get("edit", "")
        context = {
            "lead": self.lead,
            "title": self.lead["contact"]["name"] or gettext("Lead"),
            "statuses": self.statuses,
            "facts": self.facts(),
            "tabs": self.tabs,
            "tab": self.tab,
        }
        if edit and self.may("lead", "PUT"):
            form = self.edit_form(self.values)
            return {**context, "form": form, "editing": edit, "tab": ""}
        return {**context, **self.happenings()}

    def facts(self) -> list[tuple[str, str]]:
        """Return (name, value) of the lead's values other than status, value and notes."""
        shown = [
            definition
            for definition in self.definitions
            if not definition["hide"]
            and not (definition["isSystem"] and definition["uniqueFieldID"] in ("status", "value", "notes"))
        ]
        values = self.lead["formData"]
        written = field_values(self, shown, [values])
        return [
            (definition["name"], written.block(definition, values.get(definition["uniqueFieldID"])))
            for definition in shown
        ]

    def happenings(self) -> JsonObject:
        """Return the data of the chosen tab."""
        of_lead = {"filters": {"lead": self.params["id"]}, "n": "100", "p": "1"}
        if self.tab == "activity":
            query = {"n": str(SIZE), "cursor": self.request.GET.get("cursor") or None}
            answer = self.ask("GET", f"lead/{self.params['id']}/timeline", query)
            further = self.address(cursor=answer.next_cursor) if answer.next_cursor else ""
            return {
                "entries": [shown_entry(entry, self.reader.formats) for entry in answer.data or ()],
                "next": further,
            }
        if self.tab == "follow-ups":
            answer = self.ask("GET", "lead-activity/follow-up", {**of_lead, "sortBy": "dueAt", "sortOrder": "asc"})
            form = Form(
                fields=[
                    Field("title", gettext("Task"), required=True),
                    Field("dueAt", gettext("Due"), "datetime-local", required=True),
                ]
            )
            return {"follow_ups": answer.data or [], "tab_form": form}
        path, by = ("meeting", "startsAt") if self.tab == "meetings" else ("calllog", "startedAt")
        if not self.tab:
            return {}
        answer = self.ask("GET", path, {**of_lead, "sortBy": by, "sortOrder": "desc"})
        return {self.tab: answer.data or []}

    def edit_form(self, values: Values) -> Form:
        """Make the form that the address asks for."""
        return self.links_form(values) if self.request.GET.get("edit") == "assignment" else self.values_form(values)

    def values_form(self, values: Values) -> Form:
        fields = self.value_fields(values)
        if products := self.options_of("product-service"):
            fields.append(Field("productServices", gettext("Products and services"), "checks", options=products))
        if tags := self.options_of("tag"):
            fields.append(Field("tags", gettext("Tags"), "checks", options=tags))
        form = Form(fields=fields, initial=values)
        form.name_chosen(productServices=self.lead["productServices"], tags=self.lead["tags"])
        return form

    def links_form(self, values: Values) -> Form:
        choices = (
            ("teamMember", gettext("Assigned to"), self.members),
            ("team", gettext("Team"), self.options_of("team")),
        )
        fields = [Field(name, label, "select", options=options) for name, label, options in choices if options]
        form = Form(fields=fields, initial=values)
        form.name_chosen(teamMember=[self.lead["teamMember"]], team=[self.lead["team"]])
        return form

    @property
    def values(self) -> JsonObject:
        """The lead's values by the names of the forms."""
        lead = self.lead
        several = {name: [record["_id"] for record in lead[name]] for name in ("productServices", "tags")}
        return {
            **form_values(self.definitions, lead["formData"]),
            **several,
            **{name: (lead[name] or {}).get("_id") for name in ("teamMember", "team")},
        }

    # What forms do

    def do_save(self) -> HttpResponse:
        for _ in range(RETRIES):
            who = (self.lead["updatedBy"] or {}).get("name", "")
            form = self.edit_form(self.values).bind(self.request.POST, who)
            if not form.is_valid():
                break
            changed = form.changed(self.values)
            if not changed:
                return self.unchanged(self.request.path)
            body = {**body_of(changed), "unchangedSince": self.lead["updatedAt"]}
            answer = self.ask("PUT", f"lead/{self.params['id']}", None, body)
            if answer.ok:
                return self.done(toast_text(gettext("Lead saved"), answer.warning), self.request.path, undo=answer.job)
            if answer.status != 409:
                form.refuse(answer)
                break
            del self.lead  # somebody was faster
        context = {"lead": self.lead, "title": self.lead["contact"]["name"], "facts": self.facts(), "form": form}
        return self.page({**context, "editing": self.request.GET.get("edit", "facts")}, status=422)

    def do_move(self) -> HttpResponse:
        return self.move(self.params["id"], self.request.get_full_path())

    def do_note(self) -> HttpResponse:
        body = {"lead": self.params["id"], "notes": self.request.POST.get("notes", "")}
        return self._made(self.ask("POST", "lead-activity", None, body), gettext("Note added"))

    def do_follow_up(self) -> HttpResponse:
        form = FollowUpForm(self.request.POST)
        answer = self.ask("POST", "lead-activity/follow-up", None, {"lead": self.params["id"], **form.values})
        if answer.ok:
            return self.done(gettext("Task added"))
        form.refuse(answer)
        return self.page({**self.show(), "tab_form": form}, status=422)

    def do_done(self) -> HttpResponse:
        answer = self.ask("PATCH", f"lead-activity/follow-up/{self.sent_id()}", None, {"status": "done"})
        return self._made(answer, gettext("Done"))

    def do_call(self) -> HttpResponse:
        sent = self.request.POST
        minutes = sent.get("minutes", "").strip()
        body = {name: sent[name] for name in ("direction", "outcome", "notes") if sent.get(name)}
        duration = {"duration": int(minutes) * 60} if minutes.isdecimal() and len(minutes) < 5 else {}
        return self._made(
            self.ask("POST", "calllog", None, {"lead": self.params["id"], **body, **duration}), gettext("Call logged")
        )

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "lead", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer, self.request.path)
        return self.done(gettext("Lead deleted"), self.address("leads"), undo=answer.job)

    def _made(self, answer: Answer, text: str) -> HttpResponse:
        """Lead back to the tab."""
        return self.done(text) if answer.ok else self.refuse(answer)
