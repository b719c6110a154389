"""The pages of a company's own fields: their order, a form for each, and the losses of a conversion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from django.http import HttpResponse

from core.text.translation import gettext_lazy as _
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option, options_of
from core.web.forms.record_forms import fields_query
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, Records
from crm.custom_fields.pages.checks import CHECKED, TEXTS, WITH_OPTIONS, check_field
from crm.custom_fields.pages.fieldsets import FIELDSETS
from crm.custom_fields.pages.values import TYPES, default_of, default_text, parts_of, parts_text

FIELDS = Records("custom-field", "fields", "text-cursor-input", _("Custom fields of your records."))
PANELS = {
    "contact": _("Contacts"),
    "lead": _("Leads"),
    "organization": _("Organizations"),
    "productService": _("Products"),
}
HOLDS = (
    ("", _("One value")),
    ("array", _("A list of values or records")),
    ("object", _("One record with parts")),
)
"""Value type -> its label; for others the field's type decides."""
OF_OPTIONS = r"more|(option|about|was)\d+"
"""The names of the form's fields of options."""
SYSTEM_OPTIONS = ("status", "source")
"""System fields of leads whose options a company changes."""
ORDER = {"sortBy": "order", "sortOrder": "asc", "p": "1", "n": "200"}


class FieldPage(Page):
    module = "custom-field"
    menu = MenuItem(
        _("Fields"),
        SETTINGS,
        10,
        "text-cursor-input",
        _("Data"),
        _("custom fields properties attributes columns sections"),
    )
    kind: ClassVar[Records] = FIELDS

    @property
    def panel(self) -> str:
        """The kind of records whose fields the page is about."""
        name = self.request.GET.get("panel", "")
        return name if name in PANELS else "contact"

    def sections(self, panel: str) -> list[Values]:
        query = {"filters": {"panel": panel}, **ORDER}
        answer = self.ask("GET", "custom-section", query) if self.may("custom-section") else None
        return answer.data if answer is not None and answer.ok else []

    def list_address(self) -> str:
        return self.address("fields", panel=self.panel)


class Fields(FieldPage):
    """The fields of contacts, leads, organizations or products by section, in their order."""

    path = "settings/fields"
    name = "fields"
    title = _("Fields")
    purpose = _("Fields of contacts, organizations, leads and products.")
    template = "web/fields/list.html"

    def show(self) -> Values:
        fields = self.read("custom-field", fields_query(self.panel)).data
        sections = self.sections(self.panel)
        section_ids = {row["_id"] for row in sections}
        groups: list[tuple[Values | None, list[Any]]] = [
            (None, [shown_field(row) for row in fields if row["section"] not in section_ids])
        ]
        groups += [
            (row, [shown_field(field) for field in fields if field["section"] == row["_id"]]) for row in sections
        ]
        return {"panel": self.panel, "panels": PANELS, "groups": groups}

    def do_up(self) -> HttpResponse:
        return self._move("custom-field", -1)

    def do_down(self) -> HttpResponse:
        return self._move("custom-field", 1)

    def do_section_up(self) -> HttpResponse:
        return self._move("custom-section", -1)

    def do_section_down(self) -> HttpResponse:
        return self._move("custom-section", 1)

    def do_place(self) -> HttpResponse:
        """Put a field after another one of its section, or first in it."""
        id, after = self.sent_id(), self.request.POST.get("after", "")
        rows = self.read("custom-field", fields_query(self.panel)).data
        section = next((field["section"] for field in rows if field["_id"] == id), None)
        ids = [field["_id"] for field in rows if field["_id"] != id]
        near = [field["_id"] for field in rows if field["section"] == section and field["_id"] != id]
        if not near:
            return self.redirect_with_toast()
        ids.insert(ids.index(after) + 1 if after in near else ids.index(near[0]), id)
        answer = self.ask("PUT", "custom-field/reorder", None, {"ids": ids})
        return self.redirect_with_toast() if answer.ok else self.refuse(answer)

    def _move(self, path: str, step: int) -> HttpResponse:
        """Change places with the neighbour: of fields, the next one of the same section."""
        id = self.sent_id()
        rows = self.read(path, {"filters": {"panel": self.panel}, **ORDER}).data
        moved = next((row for row in rows if row["_id"] == id), None)
        near = [row for row in rows if moved and row.get("section") == moved.get("section")]
        place = near.index(moved) + step if moved else -1
        if not 0 <= place < len(near):
            return self.redirect_with_toast()
        ids = [row["_id"] for row in rows]
        row, other = ids.index(id), ids.index(near[place]["_id"])
        ids[row], ids[other] = ids[other], ids[row]
        answer = self.ask("PUT", f"{path}/reorder", None, {"ids": ids})
        return self.redirect_with_toast() if answer.ok else self.refuse(answer)


def shown_field(field: Values) -> JsonObject:
    job = field["job"] if field["job"] and field["job"]["status"] not in ("completed", "cancelled") else None
    return {**field, "type": TYPES.get(field["fieldType"], field["fieldType"]), "at_work": job}


class FieldForm(FieldPage, RecordForm):
    template = "web/fields/form.html"

    @property
    def had(self) -> Sequence[Values]:
        """The options that the field has."""
        return ()

    @property
    def children(self) -> Sequence[Values]:
        """The parts that the field has."""
        return ()

    @property
    def held(self) -> str:
        """The value type of a list or record, as the form shows it; "" for one value."""
        return ""

    @property
    def plain(self) -> str:
        """The value type of a text field that is neither list nor record."""
        return "string"

    def attributes(self, panel: str) -> list[Field]:
        """Return the fields of the form that every custom field has."""
        sections = [Option(choice["_id"], choice["name"]) for choice in self.sections(panel)]
        return [
            Field("name", _("Name"), required=True),
            Field("fieldType", _("Type"), "select", required=True, options=options_of(TYPES.items())),
            *self.option_fields(),
            Field("required", _("Required"), "switch"),
            Field("hide", _("Hidden"), "switch", help_text=_("Keep the values, but hide the field.")),
            Field("onlyShowTable", _("Show in tables only"), "switch"),
            Field("defaultValue", _("Default value"), help_text=_("Used for new records when nothing is entered.")),
            Field("placeholder", _("Placeholder")),
            Field("helper", _("Help text")),
            Field("description", _("Purpose"), "textarea", help_text=_("Only people who manage fields see this.")),
            Field("holds", _("Values"), "select", required=True, options=options_of(HOLDS)),
            Field(
                "parts",
                _("Parts (text fields)"),
                "textarea",
                help_text=_("One per line with its type, such as Street: Text."),
            ),
            *([Field("section", _("Section"), "select", options=sections, placeholder=_("None"))] if sections else []),
        ]

    def option_fields(self) -> list[Field]:
        """Return a field for each option there is, so that one keeps its records when it is renamed; and for more."""
        fields = []
        for place, option in enumerate(self.had):
            label = Field(
                f"option{place}",
                _("Option %(place)s") % {"place": place + 1},
                initial=option["label"] or option["value"],
            )
            about = Field(
                f"about{place}",
                _("Description of option %(place)s") % {"place": place + 1},
                initial=option["description"],
            )
            fields += [label, about, Field(f"was{place}", "", "hidden", initial=option["value"])]
        if fields:
            fields[-3].help_text = _("Clear an option to remove it.")
        more = _("More options") if self.had else _("Options, for choices")
        return [*fields, Field("more", more, "textarea", help_text=_("One per line."))]

    def values_of(self, form: Form) -> JsonObject:
        """Return the values of the form under the API's names, with the options as the API takes them."""
        values = form.values
        kept = [
            {
                "value": values[f"was{place}"],
                "label": values[f"option{place}"],
                "description": values[f"about{place}"] or "",
            }
            for place in range(len(self.had))
            if values.get(f"option{place}")
        ]
        texts = {option["label"] for option in kept}
        added = [line.strip() for line in (values.get("more") or "").splitlines()]
        kept += [{"label": line} for line in dict.fromkeys(added) if line and line not in texts]
        payload = {name: value for name, value in values.items() if not re.fullmatch(OF_OPTIONS, name)}
        if "section" in payload:
            payload["section"] = payload["section"] or None
        payload["options"] = kept
        holds = payload.pop("holds", None)
        parts = payload.pop("parts", "")
        if holds is not None and payload["fieldType"] in TEXTS:
            payload |= {"valueType": holds or self.plain, "children": parts_of(parts or "", self.children)}
        elif holds is not None and payload["fieldType"] == "file":
            payload["valueType"] = holds or "file"
        if "defaultValue" in payload:
            kind = payload.get("fieldType", "")
            many = kind == "multi-select" or holds == "array" or (kind == "checkbox" and bool(kept))
            payload["defaultValue"] = default_of(payload["defaultValue"] or "", kind, kept, many=many)
        return payload


class NewField(NewRecord, FieldForm):
    path = "settings/fields/new"
    name = "field-new"
    title = _("New field")
    added = _("Field added")

    def form(self, values: Values | None = None) -> Form:
        given = self.request.GET
        kind = given.get("fieldType", "")
        initial = {"fieldType": kind if kind in TYPES else "text", "name": given.get("name", "")[:100], "holds": ""}
        return Form(fields=self.attributes(self.panel), initial=initial, fieldsets=FIELDSETS)

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = self.values_of(form)
        if not check_field(form, values, self.held):
            return self.show_refused(form)
        if values["fieldType"] not in WITH_OPTIONS and not (values["fieldType"] == "checkbox" and values["options"]):
            values.pop("options")
        elif values["fieldType"] == "checkbox":
            values["valueType"] = "array"
        answer = self.ask("POST", "custom-field", None, {**values, "panel": self.panel})
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast(_("Field added"), self.address("field", answer.data["_id"]))


class EditField(EditRecord, FieldForm):
    """A field. The losses from a change of its type or options are shown before any value is lost."""

    path = "settings/fields/<str:id>"
    name = "field"
    tab_name = _("Field")
    saved = _("Field saved")
    deleted = _("Field deleted")

    @property
    def panel(self) -> str:
        return str(self.record["panel"])

    @property
    def had(self) -> Sequence[Values]:
        options: Sequence[Values] = self.record["options"]
        return options

    @property
    def removable(self) -> bool:  # type: ignore[override]
        return not self.record["isSystem"]

    def form(self, values: Values | None = None) -> Form:
        fields = self.attributes(self.record["panel"])
        if self.record["isSystem"]:
            names = {"name", "required", "hide", "placeholder", "helper"}
            changes = self.record["uniqueFieldID"] in SYSTEM_OPTIONS and self.record["panel"] == "lead"
            fields = [
                field
                for field in fields
                if field.name in names or (changes and re.fullmatch(OF_OPTIONS + "|defaultValue", field.name))
            ]
        if values is None:
            return Form(fields=fields)
        shown = {"holds": self.held, "parts": parts_text(values["children"]), "defaultValue": default_text(values)}
        return Form(fields=fields, initial={**values, **shown}, fieldsets=FIELDSETS)

    @property
    def children(self) -> Sequence[Values]:
        parts: Sequence[Values] = self.record["children"]
        return parts

    @property
    def held(self) -> str:
        value_type = self.record["valueType"]
        return str(value_type) if value_type in ("array", "object") else ""

    @property
    def plain(self) -> str:
        kept = self.record["valueType"]
        return kept if kept not in ("array", "object") and self.record["fieldType"] in TEXTS else "string"

    def context(self) -> JsonObject:
        return {**super().context(), "at_work": shown_field(self.record)["at_work"]}

    def consequence(self) -> str:
        return _("Deletes the values in all records. This can't be undone.")

    def do_save(self) -> HttpResponse:
        return self._save(lose=False)

    def do_convert(self) -> HttpResponse:
        return self._save(lose=True)

    def _save(self, *, lose: bool) -> HttpResponse:
        form = self.bound_form()
        if not form.is_valid():
            return self.show_refused(form, **self.context())
        values = self.values_of(form)
        if form.values.get("defaultValue", "") == default_text(self.record):
            values["defaultValue"] = self.record["defaultValue"]  # whatever it is that the text shows
        before = {**self.record, "options": [self._option(entry) for entry in self.record["options"]]}
        changed = {name: value for name, value in values.items() if (before.get(name) or None) != (value or None)}
        if not any(entry.name == "more" for entry in form):
            changed.pop("options", None)
        back = self.list_address()
        touched = changed.keys() & CHECKED or form.values.get("holds", self.held) != self.held
        touched = touched or form.values.get("parts", "") != parts_text(self.children)
        if touched and not self.record["isSystem"] and not check_field(form, values, self.held):
            return self.show_refused(form, **self.context())
        if not changed:
            return self.report_unchanged(back)
        body = {**changed, **({"dropInvalid": True} if lose else {})}
        answer = self.ask("PUT", f"custom-field/{self.params['id']}", None, body)
        if answer.ok:
            job = answer.data["job"] or {}
            at_work = job.get("status") in ("queued", "running")
            text = _("The values are being converted") if at_work else _("Field saved")
            return self.redirect_with_toast(text, back, watch=job["_id"] if at_work else "")
        if lost := losses(answer):
            return self.page({**self.context(), "form": form, "lost": lost}, status=422)
        form.refuse(answer)
        return self.show_refused(form, **self.context())

    def _option(self, option: Values) -> JsonObject:
        return {
            "value": option["value"],
            "label": option["label"] or option["value"],
            "description": option["description"] or "",
        }

    def do_delete(self) -> HttpResponse:
        back = self.list_address()
        answer = self.ask("DELETE", "custom-field", None, {"ids": [self.params["id"]]})
        return self.redirect_with_toast(_("Field deleted"), back) if answer.ok else self.refuse(answer)


def losses(answer: Answer) -> Values | None:
    """Return how many values a conversion would lose, with examples, if that is why the API refuses it."""
    return answer.params if answer.code == "unfitValues" else None


PAGES = [Fields, NewField, EditField]
