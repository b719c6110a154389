"""The email editor: blocks in a list, the fields of the chosen one, and the email next to them.

Each action posts the whole form and gets the page again, with script and without. The design travels in the form until
it is saved.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.text.placeholders import names_in
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.mail_frames import mail_frame
from core.web.pages import PageError
from core.web.records import EditRecord
from outreach.messaging.email_templates.design_forms import (
    BLOCK_LABELS,
    PREFIX,
    STYLE,
    WITH_PICTURE,
    panel_fields,
    panel_values,
    read_panel,
    shown_kinds,
    words_of,
)
from outreach.messaging.email_templates.designs.blocks import texts_in
from outreach.messaging.email_templates.designs.edits import Editor, NoSuchBlock
from outreach.messaging.email_templates.pages import KNOWN, EmailTemplateForm, TemplateForm, TemplatePage
from outreach.messaging.email_templates.placeholder_names import placeholders

PICTURES = {
    "p": "1",
    "n": "24",
    "sortBy": "createdAt",
    "sortOrder": "desc",
    "fields": "name,mime,url",
    "advancedFilters": {"field": "mime", "operator": "contains", "value": "image/"},
}
SHOWN_TYPES = ("image/png", "image/jpeg", "image/gif", "image/webp")
PREVIEW_SIZES = (
    ("wide light", gettext_lazy("Computer")),
    ("phone light", gettext_lazy("Phone")),
    ("wide dark", gettext_lazy("Computer, dark")),
    ("phone dark", gettext_lazy("Phone, dark")),
)
_REFUSED = re.compile(r"design\.blocks\.(\d+)(?:\.columns\.(\d+)(?:\.blocks\.(\d+))?)?(?:\.(.+))?")


class DesignTemplate(EditRecord, TemplateForm, TemplatePage):
    path = "templates/<str:id>/design"
    name = "email-template-design"
    tab_name = gettext_lazy("Email editor")
    template = "web/email_templates/design.html"
    saved = gettext_lazy("Template saved")
    deleted = gettext_lazy("Template deleted")

    def get(self, request: HttpRequest) -> HttpResponse:
        if self.record["design"] is None:
            return self.redirect_with_toast(to=self.address("email-template", self.params["id"]))
        return super().get(request)

    # The state, which the form carries

    @cached_property
    def editor(self) -> Editor:
        """The design as the form has it, without the fields of the chosen block."""
        text = self.request.POST.get("design", "")
        try:
            design = orjson.loads(text) if text else self.record["design"]
        except orjson.JSONDecodeError:
            raise PageError(400, _("This form is not complete"), _("Load the page again.")) from None
        return Editor(design)

    @cached_property
    def at(self) -> str:
        """The path of the chosen block, or `style`; empty for none."""
        path = self.request.POST.get("at", self.request.GET.get("at", "0"))
        return path if path == STYLE or self.editor.exists(path) else ""

    def kind_at(self, path: str) -> str:
        """Return the kind of the block at the path, `style`, or nothing for a column or no block."""
        if path == STYLE:
            return STYLE
        try:
            kind = str(self.editor.block(path).get("type"))
        except NoSuchBlock:
            return ""
        return kind if kind in BLOCK_LABELS else ""

    def values_at(self, path: str) -> Values:
        values: Values = self.editor.design.get(STYLE) or {} if path == STYLE else self.editor.block(path)
        return values

    @cached_property
    def pictures(self) -> list[JsonObject]:
        """The company's newest pictures."""
        answer = self.ask("GET", "file", PICTURES) if self.may("file") else None
        rows = answer.data if answer is not None and answer.ok else []
        return [
            {"id": row["_id"], "name": row["name"], "address": urlsplit(row["url"]).path}
            for row in rows
            if row["mime"] in SHOWN_TYPES
        ]

    # The form

    def form_at(self, path: str) -> EmailTemplateForm:
        """Return the form with the fields of the email and of the block at the path."""
        kind = self.kind_at(path)
        fields = [
            Field("name", _("Name"), required=True, help_text=_("Only your team sees this.")),
            Field("subject", _("Subject"), required=True),
            Field("preheader", _("Preview text"), help_text=_("Shown after the subject in the inbox.")),
        ]
        values = {**self.record, "preheader": self.editor.design.get("preheader", "")}
        if kind:
            pictures = [Option(picture["id"], picture["name"]) for picture in self.shown_pictures(path)]
            fields += panel_fields(kind, pictures)
            values |= panel_values(kind, self.values_at(path))
        form = EmailTemplateForm(fields=fields, initial=values)
        form.placeholders = placeholders(self.definitions or ())
        return form

    def shown_pictures(self, path: str) -> list[JsonObject]:
        return self.pictures if self.kind_at(path) in WITH_PICTURE else []

    def bound(self) -> EmailTemplateForm:
        """Return the form as it was sent, and put its values into the design."""
        form = self.form_at(self.at)
        form.bind(self.request.POST)
        self.editor.design["preheader"] = form.values["preheader"]
        kind = self.kind_at(self.at)
        if kind == STYLE:
            self.editor.design[STYLE] = read_panel(kind, self.values_at(STYLE), form)
        elif kind:
            block = self.editor.block(self.at)
            block |= read_panel(kind, block, form)
            if kind == "columns":
                self.editor.resize(self.at, int(form.values[f"{PREFIX}count"] == "3") + 2)
        return form

    def rows(self) -> list[JsonObject]:
        """Return the lines of the list: blocks, and the columns of some with their blocks."""
        rows: list[JsonObject] = []
        for number, block in enumerate(self.editor.blocks):
            rows.append(self._row(str(number), block))
            for place, column in enumerate(block["columns"] if block.get("type") == "columns" else ()):
                path = f"{number}.{place}"
                label = _("Column %(number)s") % {"number": place + 1}
                rows.append({"path": path, "label": label, "icon": "columns-3", "depth": 1, "is_column": True})
                rows += [self._row(f"{path}.{at}", inner, 2) for at, inner in enumerate(column["blocks"])]
        return rows

    def _row(self, path: str, block: Values, depth: int = 0) -> JsonObject:
        label, icon = BLOCK_LABELS.get(str(block.get("type")), (_("Block"), "square"))
        return {"path": path, "label": str(label), "icon": icon, "depth": depth, "words": words_of(block)}

    def show(self) -> Values:
        return self.editing(self.form_at(self.at), self.at)

    def context(self) -> JsonObject:
        return {"record": self.record, "title": self.record["name"], "consequence": self.consequence()}

    def editing(self, form: Form, at: str, **more: Any) -> JsonObject:
        """Return the data of the page with the block at the path chosen."""
        kind = self.kind_at(at)
        design = orjson.dumps(self.editor.design).decode()
        posted = self.request.POST
        return {
            **self.context(),
            "form": form if self.may(self.module, "PUT") else None,
            "at": at,
            "panel": [field for field in form if field.name.startswith(PREFIX) and field.name != f"{PREFIX}file"],
            "panel_label": _("Style") if kind == STYLE else BLOCK_LABELS[kind][0] if kind else "",
            "kind": kind,
            "pictures": self.shown_pictures(at),
            "file": self.values_at(at).get("file") if kind in WITH_PICTURE else None,
            "products": self.options_of("product-service") if kind == "product" else [],
            "rows": self.rows(),
            "kinds": shown_kinds(),
            "design": design,
            "is_unsaved": self.request.method == "POST" and self.editor.design != self.record["design"],
            "looks": PREVIEW_SIZES,
            "look": posted.get("look", ""),
            "version": posted.get("version") or self.record["version"],
            "contact": posted["contact"] if "contact" in posted else next((one.value for one in self.people), ""),
            **more,
        }

    def answer(self, at: str, *, status: int = 200, form: Form | None = None, **more: Any) -> HttpResponse:
        """Show the editor again with the block at the path chosen, and what was typed above it."""
        shown = form or self.form_at(at)
        if form is None:
            shown.initial.update({name: self.request.POST.get(name, "") for name in ("name", "subject", "preheader")})
        return self.page(self.editing(shown, at, **more), status=status)

    # Actions

    def do_edit(self) -> HttpResponse:
        """Change the blocks as a button says, such as `add:text` or `up`."""
        operation, _colon, value = self.request.POST.get("op", "").partition(":")
        if operation == "load":  # an earlier state: the fields are those of a later one
            return self.answer(self.at)
        self.bound()
        try:
            at = self.operate(operation, value)
        except NoSuchBlock:
            raise self._no_action() from None
        return self.answer(at)

    def operate(self, operation: str, value: str) -> str:
        """Do the operation. Return the path of the block to show. Raises NoSuchBlock."""
        path = "" if self.at == STYLE else self.at
        if operation == "choose":
            return value if value == STYLE or self.editor.exists(value) else self.at
        if operation == "apply":
            return self.at
        if operation == "add":
            return self.editor.add(path, value)
        if operation in ("up", "down"):
            return self.editor.move(path, 1 if operation == "down" else -1)
        if operation == "product":
            self.fill_product(self.sent_id("product"))
            return path
        return {"duplicate": self.editor.duplicate, "remove": self.editor.remove}.get(operation, self.unknown)(path)

    def unknown(self, path: str) -> str:
        raise NoSuchBlock

    def fill_product(self, id: str) -> None:
        """Put the name, price and description of a product of the company into the chosen block."""
        product: Values = self.read(f"product-service/{id}").data
        values = product.get("formData") or product
        price = product.get("price")
        self.editor.block(self.at).update(
            name=str(product.get("name") or values.get("name") or "")[:200],
            description=str(product.get("description") or values.get("description") or "")[:2000],
            price=self.reader.formats.money(Decimal(str(price)), product.get("currency") or None) if price else "",
        )

    def do_upload(self) -> HttpResponse:
        """Upload a picture into the chosen block."""
        form = self.bound()
        if self.kind_at(self.at) not in WITH_PICTURE or "file" not in self.request.FILES:
            form.add_error(None, _("Choose a file first."))
            return self.answer(self.at, form=form, status=422)
        answer = self.upload()
        if not answer.ok:
            form.refuse(answer)
            return self.answer(self.at, form=form, status=422)
        file = answer.data[0] if isinstance(answer.data, list) else answer.data
        self.editor.block(self.at)["file"] = file["_id"]
        return self.answer(self.at)

    def email(self, form: Form) -> JsonObject:
        """Return the email of the form, as the API accepts it."""
        subject = form.values["subject"]
        names = dict.fromkeys(name for text in (subject, *texts_in(self.editor.design)) for name in names_in(text))
        before = {variable["name"]: variable for variable in self.record["variables"]}
        fields = self.field_names()
        variables = [
            before.get(name, {"name": name, "required": False, "dateType": None})
            for name in names
            if not name.startswith(KNOWN) and (fields is None or name.casefold() in fields)
        ]
        return {"subject": subject, "design": self.editor.design, "variables": variables}

    def mail(self, form: Form, contact: str = "") -> JsonObject:
        shown = self.request.POST.get("contact") or contact or None
        return {**self.email(form), "attachments": self.record["attachments"], "contactId": shown}

    def do_save(self) -> HttpResponse:
        form = self.bound()
        if self.request.POST.get("version", "") not in ("", str(self.record["version"])):
            text = _("%(member)s has changed this template meanwhile. Save again to replace those changes.")
            form.add_error(None, text % {"member": self.changed_by() or _("Someone")})
            return self.answer(self.at, form=form, status=422, version=self.record["version"])
        body = {"name": form.values["name"], **self.email(form)}
        answer = self.ask("PUT", f"{self.kind.path}/{self.params['id']}", None, body)
        if not answer.ok:
            return self.refused_at(answer)
        return self.redirect_with_toast(self.saved, self.address(self.name, self.params["id"], at=self.at))

    def refused_at(self, answer: Answer) -> HttpResponse:
        """Show the block that the API refuses, with the reasons at its fields."""
        at, names = self.at, dict[str, str]()
        for error in answer.errors:
            path, rest = refused_place(error["field"])
            if path:
                at = path if not names else at
                names[error["field"]] = f"{PREFIX}{rest}" if path == at else "design"
        form = self.form_at(at)
        form.bind({**self.request.POST.dict(), **form.initial} if at != self.at else self.request.POST)
        form.refuse(answer, lambda path: names.get(path, path))
        return self.answer(at, form=form, status=422)

    def do_preview(self) -> HttpResponse:
        """Show the email, in the frame next to the form."""
        form = self.bound()
        look = self.request.POST.get("look", "")
        answer = self.ask("POST", "template/email/preview", None, self.mail(form))
        problem = "" if answer.ok else self.problem(answer)
        return mail_frame(self.request, mail=answer.data, problem=problem, look=look)

    def do_find(self) -> HttpResponse:
        self.bound()
        return self.answer(self.at, contact=self.people[0].value if self.people else "")

    def do_check(self) -> HttpResponse:
        """Check the email for signs of spam."""
        form = self.bound()
        answer = self.ask("POST", "template/email/check", None, self.mail(form))
        if not answer.ok:
            return self.refused_at(answer)
        return self.answer(self.at, check=answer.data)

    def do_test(self) -> HttpResponse:
        """Send the email to the reader, with the values of the chosen contact or of the first one."""
        mail = self.mail(self.bound(), self.people[0].value if self.people else "")
        answer = self.ask("POST", f"campaign/test/{self.channel()}", None, {**mail, "to": [self.reader.email]})
        if not answer.ok:
            return self.refused_at(answer)
        self.add_toast(_("Test sent to %(to)s. Nothing is saved yet.") % {"to": self.reader.email})
        return self.answer(self.at)


def refused_place(field: str) -> tuple[str, str]:
    """Return the path of the block that a refused field belongs to, and the name of its field."""
    if field.startswith("design.style."):
        return STYLE, field.removeprefix("design.style.")
    match = _REFUSED.fullmatch(field)
    if match is None:
        return "", ""
    path = ".".join(part for part in match.groups()[:3] if part is not None)
    return path, match[4] or "text"


PAGES = [DesignTemplate]
