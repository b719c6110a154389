"""The form of a template of chat messages, next to a preview bubble."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from core.text.placeholders import names_in
from core.text.translation import gettext_lazy as _
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.mail_frames import quiet_frame
from core.web.records import EditRecord, RecordForm

CATEGORIES = [
    Option("UTILITY", _("Service: orders, dates, accounts")),
    Option("MARKETING", _("Marketing")),
    Option("AUTHENTICATION", _("Login codes")),
]
HEADERS = [
    Option("TEXT", _("Text")),
    Option("IMAGE", _("Image")),
    Option("VIDEO", _("Video")),
    Option("DOCUMENT", _("Document")),
]
BUTTONS = [
    Option("QUICK_REPLY", _("Quick reply")),
    Option("URL", _("Open a website")),
    Option("PHONE_NUMBER", _("Call a number")),
    Option("COPY_CODE", _("Copy a code")),
]
VALUE_OF = {"URL": "url", "PHONE_NUMBER": "phone_number", "COPY_CODE": "example"}
"""Kind of a button -> the key of the value that it opens, calls or copies."""
MAX_BUTTONS, SPARE = 10, 2
LINE = re.compile(r"\s*(?P<name>[\w.]+)\s*=\s*(?P<field>[^|]*?)\s*(?:\|\s*(?P<example>.*?)\s*)?")
FIELDS_HELP = _("One per line, such as 1 = contact.firstName | Ann. Header: header.1, button: button.0.")


class ChatTemplateForm(RecordForm):
    """The form of a template: its parts for people, and the vendor's components built from them."""

    template = "web/chat_templates/form.html"

    def form(self, values: Values | None = None) -> Form:
        exists = values is not None
        first = [
            Field("app", _("Chat app"), "select", options=self.apps, required=True, initial=self.only_app),
            Field(
                "name",
                _("Name"),
                required=True,
                autofocus=not exists,
                help_text=_("Lowercase letters, digits and underscores."),
            ),
            Field("language", _("Language"), required=True, initial="en", help_text=_("For example en or en_US.")),
            Field("category", _("Purpose"), "select", options=CATEGORIES, required=True, initial="UTILITY"),
        ]
        parts = [
            Field("headerFormat", _("Header"), "select", options=HEADERS, placeholder=_("None")),
            Field("headerText", _("Header text"), help_text=_("At most 60 characters and one placeholder.")),
            Field("headerHandle", _("File handle"), help_text=_("Upload a file below to get an example.")),
            Field("headerLink", _("File URL"), "url", placeholder="https://"),
            Field(
                "body",
                _("Text"),
                "textarea",
                required=True,
                help_text=_("At most 1,024 characters. Use {{1}}, {{2}} … as placeholders."),
            ),
            Field(
                "variables", _("Values"), "textarea", placeholder="1 = contact.firstName | Ann", help_text=FIELDS_HELP
            ),
            Field("footer", _("Footer"), help_text=_("At most 60 characters, without placeholders.")),
        ]
        return Form(fields=[*first, *parts, *self.button_fields(values or {})], initial=values)

    def button_fields(self, values: Values) -> list[Field]:
        """Return the fields of the existing buttons, and some empty ones."""
        sent = [int(match[1]) for name in self.request.POST if (match := re.fullmatch(r"button-(\d)-kind", name))]
        held = [int(name.split("-")[1]) for name in values if name.startswith("button-")]
        count = min(MAX_BUTTONS, max([*sent, *(place + SPARE for place in held), SPARE]) + 1)
        fields: list[Field] = []
        for place in range(count):
            label = _("Button %(place)s") % {"place": place + 1}
            fields += [
                Field(f"button-{place}-kind", label, "select", options=BUTTONS, placeholder=_("None")),
                Field(f"button-{place}-text", _("%(label)s: text") % {"label": label}),
                Field(f"button-{place}-value", _("%(label)s: address, number or code") % {"label": label}),
            ]
        return fields

    @cached_property
    def apps(self) -> list[Option]:
        return self.options_of("apps/chatapp", fields="name,displayNumber", module="apps")

    @property
    def only_app(self) -> str:
        return self.apps[0].value if len(self.apps) == 1 else ""

    def options_of(self, path: str, *, fields: str = "name", module: str = "", **query: Any) -> list[Option]:
        if not self.may(module or path):
            return []
        answer = self.ask("GET", path, {"p": "1", "n": "50", "fields": fields})
        names = fields.split(",")
        rows = answer.data if answer.ok else ()
        return [Option(row["_id"], next((row[name] for name in names if row[name]), "")) for row in rows]

    def body(self, values: Values) -> JsonObject:
        """Return the API's body. `places` keeps the place of each component and button in the form."""
        fields, examples = self.lines(values.get("variables") or "")
        components: list[JsonObject] = []
        self.places: list[str] = []
        self.rows: list[int] = []

        def put(part: str, component: Values) -> None:
            components.append({"type": part, **component})
            self.places.append(part)

        kind, header_text = values.get("headerFormat"), values.get("headerText") or ""
        if kind == "TEXT":
            example = {"header_text": [examples.get("header.1", "")]} if names_in(header_text) else {}
            put("HEADER", {"format": "TEXT", "text": header_text, **({"example": example} if example else {})})
        elif kind:
            put("HEADER", {"format": kind, "example": {"header_handle": [values.get("headerHandle") or ""]}})
            if values.get("headerLink"):
                fields["header.link"] = values["headerLink"]
        text = values.get("body") or ""
        body_examples = [examples.get(name, "") for name in names_in(text)]
        put("BODY", {"text": text, **({"example": {"body_text": [body_examples]}} if body_examples else {})})
        if values.get("footer"):
            put("FOOTER", {"text": values["footer"]})
        if buttons := self.buttons(values, examples):
            put("BUTTONS", {"buttons": buttons})
        settings = {name: values[name] for name in ("app", "name", "language", "category") if name in values}
        return {**settings, "components": components, "variables": fields}

    def lines(self, text: str) -> tuple[dict[str, str], dict[str, str]]:
        """Return variable -> field, and variable -> example, of the lines of the form."""
        fields, examples = {}, {}
        for line in filter(str.strip, text.splitlines()):
            match = LINE.fullmatch(line)
            name, field = (match["name"], match["field"]) if match else (line.strip()[:40], "")
            if field or not match:
                fields[name] = field
            examples[name] = (match["example"] or "") if match else ""
        return fields, examples

    def buttons(self, values: Values, examples: Mapping[str, str]) -> list[JsonObject]:
        button_rows: list[JsonObject] = []
        for place in range(MAX_BUTTONS):
            kind = values.get(f"button-{place}-kind")
            text, value = (values.get(f"button-{place}-{name}") or "" for name in ("text", "value"))
            if not kind:
                continue
            example = examples.get(f"button.{len(button_rows)}")
            button_rows.append({
                "type": kind,
                **({} if kind == "COPY_CODE" else {"text": text}),
                **({VALUE_OF[kind]: value} if kind in VALUE_OF else {}),
                **({"example": [example]} if kind == "URL" and example else {}),
            })  # fmt: skip
            self.rows.append(place)
        return button_rows

    def form_name(self, path: str) -> str:
        """Return the form's name of a path such as components.1.buttons.0.text."""
        head, place, *names = [*path.split("."), ""]
        if head != "components" or not place.isdecimal():
            return path
        part = self.places[int(place)] if int(place) < len(self.places) else ""
        button = names[1] if names[:1] == ["buttons"] and len(names) > 1 else ""
        row = whole_number(button)
        if row is not None and row < len(self.rows):
            return f"button-{self.rows[row]}-{'text' if names[2:3] == ['text'] else 'value'}"
        if part == "HEADER":
            if "header_handle" in names:
                return "headerHandle"
            return "variables" if "example" in names else "headerText"
        own = {"BODY": "variables" if "example" in names else "body", "FOOTER": "footer", "BUTTONS": "button-0-kind"}
        return own.get(part, "body")

    def wrong(self, form: Form, answer: Answer) -> HttpResponse:
        form.refuse(answer, self.form_name)
        for error in answer.errors:
            field = form.field_at(self.form_name(error["field"]))
            if field is not None and field.name.startswith("button-") and error["field"].endswith(".example"):
                field.replace_error(_("An example is needed: %(message)s") % {"message": error["message"]})
        context = self.context() if isinstance(self, EditRecord) else {}
        return self.show_refused(form, **context)

    def do_preview(self) -> HttpResponse:
        """Show the bubble of the form's content in the frame next to it."""
        body = self.body(self.form({}).bind(self.request.POST).values)
        content = {"components": body["components"], "variables": body["variables"]}
        chosen = self.request.POST.get("contact") or None
        answer = self.ask("POST", "template/chatapp/preview", None, {**content, "contactId": chosen})
        shown = {"bubble": answer.data} if answer.ok else {"problem": answer.reason}
        return quiet_frame(render(self.request, "pages/chat_bubble.html", shown))

    def do_upload(self) -> HttpResponse:
        """Upload a file for the header, and give it to the vendor."""
        form = self.form({}).bind(self.request.POST)
        context = self.context() if isinstance(self, EditRecord) else {}
        app = form.values.get("app") or (self.record["app"]["_id"] if isinstance(self, EditRecord) else None)
        answer = self.upload() if "file" in self.request.FILES else None
        if answer is not None and answer.ok:
            uploaded_file = answer.data[0] if isinstance(answer.data, list) else answer.data
            answer = self.ask("POST", "template/chatapp/handle", None, {"app": app, "file": uploaded_file["_id"]})
        if answer is None or not answer.ok:
            form["headerHandle"].add_error(_("Choose a file first.") if answer is None else answer.reason)
            return self.show_refused(form, **context)
        form["headerHandle"].replace(answer.data["handle"])
        self.add_toast(_("File uploaded. Save the template to keep it."))
        return self.page({**context, "form": form})

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        form: Form | None = context.get("form")
        fields = list(form) if form is not None else []
        buttons = [field for field in fields if field.name.startswith("button-")]
        shown = {
            "plain": [field for field in fields if not field.name.startswith("button-")],
            "buttons": buttons,
            "has_buttons": any(field.value() or field.errors for field in buttons),
            "people": self.people if form is not None else [],
            "contact": self.request.POST.get("contact", ""),
        }
        return super().page({**shown, **context}, template=template, status=status)

    @cached_property
    def people(self) -> list[Option]:
        """The first contacts to preview the message for."""
        return [option for option in super().options_of("contact", fields="name,email", n="20") if option.label]


def examples_of(component: Values, key: str, prefix: str = "") -> dict[str, str]:
    """Return variable -> example of a component."""
    examples = component.get("example", {}).get(key) or []
    row = examples[0] if examples and isinstance(examples[0], list) else examples
    return {f"{prefix}{number}": text for number, text in enumerate(row, 1)}
