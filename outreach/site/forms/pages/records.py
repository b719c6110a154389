"""The pages of forms: the list, the builder with its preview, and the settings."""

from __future__ import annotations

import re
from functools import cached_property

from django.http import HttpResponse

from core.text.translation import gettext_lazy as _
from core.text.translation import ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import Field, Form, Option, name_below
from core.web.lists import Column
from core.web.navigation.places import FORMS_MENU
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordList, Records
from outreach.site.forms.fieldsets import FIELDSETS, QUESTION_ROWS

ORIGINS_HELP = _("One per line, such as https://example.org.")
FORMS = Records("form", "forms", "clipboard-list", _("Forms on a page, your site or an ad create leads."))
STATES = {
    "draft": (_("Draft"), "none"),
    "published": (_("Open"), "ok"),
    "paused": (_("Paused"), "warn"),
}
"""Status -> its word and tone."""
FIELD_TYPES = (
    Option("text", _("Text")),
    Option("textarea", _("Long text")),
    Option("email", _("Email address")),
    Option("phone", _("Phone number")),
    Option("number", _("Number")),
    Option("select", _("Choice of one")),
    Option("multiSelect", _("Choice of several")),
    Option("checkbox", _("Check box")),
    Option("date", _("Date")),
    Option("consent", _("Consent")),
    Option("hidden", _("Hidden value")),
)


class FormsPage(Page):
    module = "lead"
    menu = FORMS_MENU
    kind = FORMS


class Forms(RecordList, FormsPage):
    path = name = "forms"
    title = _("Forms")
    template = "web/forms/list.html"
    adds = "form-new"
    add_label = _("New form")
    none = _("No forms yet")
    count = ngettext_lazy("%(count)s form", "%(count)s forms")
    rows = "web/forms/rows.html"
    columns = (
        Column("name", _("Name"), "name"),
        Column("status", _("Status"), "status"),
        Column("source", _("Creates"), "source"),
        Column("lastLeadAt", _("Last lead"), "lastLeadAt"),
        Column("updatedAt", _("Changed"), "updatedAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("status", _("Status"), ("in",), tuple((key, label) for key, (label, tone) in STATES.items())),)

    def show(self) -> Values:
        context = super().show()
        rows = [
            {**form, "words": STATES[form["status"]][0], "mood": STATES[form["status"]][1]}
            for form in context["records"]
        ]
        return {**context, "records": rows}


class NewForm(NewRecord, FormsPage):
    path = "forms/new"
    name = "form-new"
    title = _("New form")
    action = title
    added = _("Form added")
    save_label = _("Create")

    def form(self, values: Values | None = None) -> Form:
        help = _("Internal name. New forms start with name, email and phone.")
        return Form(fields=[Field("name", _("Name"), required=True, autofocus=True, help_text=help)], initial=values)

    def body(self, values: Values) -> JsonObject:
        fields = [
            {"key": "name", "label": _("Your name"), "type": "text", "required": True},
            {"key": "email", "label": _("Your email address"), "type": "email", "required": True},
            {"key": "phone", "label": _("Your phone number"), "type": "phone", "required": True},
        ]
        return {**values, "fields": fields, "mapping": {"name": "name", "email": "email", "phone": "number"}}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "form", None, self.body(form.values))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast(
            _("Form created. Add fields, then publish it."), self.address("form", answer.data["_id"])
        )


class OneForm(FormsPage):
    """Shared parts of the pages of a form."""

    @cached_property
    def record(self) -> Values:
        form: Values = self.read(f"form/{self.params['id']}").data
        return form

    @property
    def resource(self) -> str:
        return f"form/{self.params['id']}"

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        if "refused" in context:
            return super().page(context, template=template, status=status)
        label, tone = STATES[self.record["status"]]
        shared = {"record": self.record, "title": self.record["name"], "words": label, "tone": tone}
        return super().page({**shared, **context}, template=template, status=status)


class FormPage(OneForm):
    """The builder: the fields in their order, the form's look, and its publication."""

    path = "forms/<str:id>"
    name = "form"
    tab_name = _("Form")
    template = "web/forms/builder.html"
    record_kind = ("form", _("Forms"))

    def show(self) -> Values:
        answer = self.ask("GET", "form/targets")
        labels = {entry["key"]: entry["label"] for entry in answer.data["targets"]} if answer.ok else {}
        kinds = {entry.value: entry.label for entry in FIELD_TYPES}
        mapping, fields = self.record["mapping"], self.record["fields"]
        rows = [
            {
                **entry,
                "kind": kinds.get(entry["type"], entry["type"]),
                "target": labels.get(mapping.get(entry["key"], ""), ""),
            }
            for entry in fields
        ]
        blank = {"given": "", "chosen": [], "error": ""}
        return {"rows": rows, "fields": [{**entry, **blank, "given": entry["value"]} for entry in fields]}

    def do_up(self) -> HttpResponse:
        return self._move(-1)

    def do_down(self) -> HttpResponse:
        return self._move(1)

    def _move(self, by: int) -> HttpResponse:
        fields = list(self.record["fields"])
        at = next((at for at, field in enumerate(fields) if field["key"] == self.request.POST.get("key")), None)
        if at is not None and 0 <= at + by < len(fields):
            fields[at], fields[at + by] = fields[at + by], fields[at]
            answer = self.ask("PUT", self.resource, None, {"fields": fields})
            if not answer.ok:
                return self.refuse(answer)
        return self.redirect_with_toast()

    def do_remove(self) -> HttpResponse:
        kept = [field for field in self.record["fields"] if field["key"] != self.request.POST.get("key")]
        answer = self.ask("PUT", self.resource, None, {"fields": kept})
        return self.redirect_with_toast(_("Field removed")) if answer.ok else self.refuse(answer)

    def do_publish(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.resource}/publish")
        return self.redirect_with_toast(_("Form published")) if answer.ok else self.refuse(answer)

    def do_pause(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.resource}/pause")
        return self.redirect_with_toast(_("Form paused")) if answer.ok else self.refuse(answer)


class FormField(OneForm):
    """One field of a form. The address has the key of an existing one."""

    path = "forms/<str:id>/field"
    name = "form-field"
    tab_name = _("Form field")
    template = "web/forms/field.html"

    @cached_property
    def stored_field(self) -> Values | None:
        key = self.request.GET.get("key", "")
        return next((field for field in self.record["fields"] if field["key"] == key), None)

    def form(self) -> Form:
        answer = self.ask("GET", "form/targets")
        panels = {"contact": _("The contact"), "lead": _("The lead")}
        targets = [
            Option(target["key"], target["label"], panels[target["panel"]])
            for target in (answer.data["targets"] if answer.ok else ())
        ]
        fields = [
            Field(
                "label",
                _("Question"),
                "textarea",
                required=True,
                help_text=_("For consents: the text people agree to."),
            ),
            Field("type", _("Kind"), "select", required=True, options=list(FIELD_TYPES), initial="text"),
            Field(
                "target",
                _("Save to"),
                "select",
                options=targets,
                placeholder=_("Form answers only"),
            ),
            Field("required", _("Required"), "switch"),
            Field("options", _("Options"), "textarea", help_text=_("For choices: one per line.")),
            Field("help", _("Help text")),
            Field("value", _("Value"), help_text=_("For hidden fields.")),
        ]
        if self.stored_field is None:
            return Form(fields=fields, fieldsets=QUESTION_ROWS)
        values = {**self.stored_field, "options": "\n".join(self.stored_field["options"])}
        target = self.record["mapping"].get(self.stored_field["key"], "")
        return Form(fields=fields, initial={**values, "target": target}, fieldsets=QUESTION_ROWS)

    def show(self) -> Values:
        return {"form": self.form() if self.may("lead", "PUT") else None, "field": self.stored_field}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        if not form.is_valid():
            return self.page({"form": form, "field": self.stored_field}, status=422)
        values = form.values
        fields = [dict(entry) for entry in self.record["fields"]]
        key = self.stored_field["key"] if self.stored_field else self._key(values["label"])
        field = {name: values[name] for name in ("label", "type", "required", "help", "value")}
        options = [line.strip() for line in values["options"].splitlines() if line.strip()]
        field |= {"key": key, "options": options}
        at = next((at for at, entry in enumerate(fields) if entry["key"] == key), len(fields))
        fields[at : at + 1] = [field]
        mapping = {name: target for name, target in self.record["mapping"].items() if name != key}
        if values["target"]:
            mapping[key] = values["target"]
        answer = self.ask("PUT", self.resource, None, {"fields": fields, "mapping": mapping})
        if answer.ok:
            return self.redirect_with_toast(_("Field saved"), self.address("form", self.params["id"]))
        name_of = name_below(f"fields.{at}.")
        form.refuse(answer, lambda path: "target" if path == f"mapping.{key}" else name_of(path))
        return self.page({"form": form, "field": self.stored_field}, status=422)

    def _key(self, label: str) -> str:
        """Return a key for a new field, which no other of the form has."""
        plain = re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:40]
        start = plain if plain[:1].isalpha() else f"field_{plain}".strip("_")
        taken, number = {field["key"] for field in self.record["fields"]}, 2
        key = start
        while key in taken:
            key, number = f"{start}_{number}", number + 1
        return key


class FormSettings(EditRecord, OneForm):
    """Texts, embedding origins and submission handling."""

    path = "forms/<str:id>/settings"
    name = "form-settings"
    tab_name = _("Form settings")
    saved = _("Form saved")
    deleted = _("Form deleted")
    template = "web/forms/settings.html"

    @cached_property
    def record(self) -> Values:  # the list of texts is written as lines
        form: Values = self.read(self.resource).data
        return form

    def list_address(self) -> str:
        return self.address("form", self.params["id"])

    def values(self) -> Values:
        record = self.record
        origins = "\n".join(record["allowedOrigins"])
        team, category = ((record[name] or {}).get("_id", "") for name in ("team", "category"))
        return {**record, "allowedOrigins": origins, "team": team, "category": category}

    def form(self, values: Values | None = None) -> Form:
        look = [
            Field("title", _("Heading"), help_text=_("Leave empty to use the name.")),
            Field("text", _("Introduction"), "textarea"),
            Field("button", _("Button text"), placeholder=_("Send")),
            Field(
                "thanks",
                _("Thank-you message"),
                "textarea",
                placeholder=_("Thank you. We have received your answers."),
            ),
            Field("colour", _("Color"), required=True, placeholder="#2f5bea"),
            Field("allowedOrigins", _("Allowed websites"), "textarea", help_text=ORIGINS_HELP),
            Field(
                "redirectUrl",
                _("Redirect to"),
                "url",
                help_text=_("Replaces the thank-you text. Must be on an allowed site."),
            ),
        ]
        fields = [
            Field("name", _("Name"), required=True),
            *(look if self.record["source"] == "own" else []),
            Field(
                "countryCode",
                _("Default country code"),
                help_text=_("Added to numbers without a country code, such as +49."),
            ),
            Field("leadSource", _("Lead source")),
            Field(
                "duplicates",
                _("If the contact already exists"),
                "radio",
                options=[
                    Option("create", _("Create a new lead; fill empty contact fields")),
                    Option("update", _("Update the open lead and the contact")),
                ],
            ),
            Field("team", _("Team"), "select", options=self.options_of("team")),
            Field("category", _("Category of new contacts"), "select", options=self.options_of("contact-category")),
            Field("tags", _("Tags"), "tags", options=self.options_of("tag")),
            Field("keepDays", _("Delete submissions after (days)"), "number", help_text=_("Leads are kept.")),
        ]
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    def body(self, values: Values) -> JsonObject:
        payload = dict(values)
        if "allowedOrigins" in payload:
            lines = payload["allowedOrigins"].splitlines()
            payload["allowedOrigins"] = [line.strip() for line in lines if line.strip()]
        return {name: (value or None) if name in ("team", "category") else value for name, value in payload.items()}

    def consequence(self) -> str:
        return _("The page closes and answers are deleted. Leads stay. This can't be undone.")

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "form", None, {"ids": [self.params["id"]]})
        return self.redirect_with_toast(_("Form deleted"), self.address("forms")) if answer.ok else self.refuse(answer)


PAGES = [Forms, NewForm, FormPage, FormField, FormSettings]
