"""The pages of templates of mails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.placeholders import names_in
from core.text.translation import gettext_lazy, ngettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.forms.record_forms import fields_query
from core.web.lists import Column
from core.web.mail_frames import mail_frame
from core.web.navigation.places import OUTREACH, MenuItem
from core.web.pages import Page, PageError
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from outreach.messaging.email_templates.designs.blocks import texts_in
from outreach.messaging.email_templates.placeholder_names import UNKNOWN, Placeholder, placeholders, unknown_text

TEMPLATES = Records(
    "template/email", "email-templates", "mail-plus", gettext_lazy("Reusable emails for campaigns and follow-ups.")
)
KNOWN = ("contact.", "organization.", "company.")
"""Prefixes of the variables that every template has."""


FILES = gettext_lazy("Sent with each message. At most 10 MB in total.")
MAX_FILES = "50"


def _file_label(file: Values) -> str:
    """Return the label of an attached file."""
    name = file["name"] or _("A file")
    return _("%(name)s (deleted)") % {"name": name} if file["missing"] else str(name)


def required_in(template: Values) -> str:
    """Return the names of the variables that a template needs, with commas between them."""
    return ", ".join(variable["name"] for variable in template.get("variables", []) if variable["required"])


NOT_USABLE = "InvalidEmailTemplate_400"


class EmailTemplateForm(Form):
    focus = "name"

    name = Field(label=gettext_lazy("Name"), required=True, help_text=gettext_lazy("Only your team sees this."))
    category = Field(label=gettext_lazy("Category"))
    subject = Field(label=gettext_lazy("Subject"), required=True)
    body = Field(
        label=gettext_lazy("Text"),
        kind="textarea",
        required=True,
        help_text=gettext_lazy("Plain text, HTML or MJML."),
    )
    required = Field(
        label=gettext_lazy("Required fields"),
        help_text=gettext_lazy("Separate with commas. Contacts with an empty field are skipped."),
    )

    placeholders: Sequence[Placeholder] = ()
    """The fields that subject and text can name."""

    def refuse(self, answer: Answer, name_of: Callable[[str], str] = str) -> None:
        """Put the API's errors at their fields; one about an unknown field names those that are like it."""
        super().refuse(answer, name_of)
        if answer.name == NOT_USABLE and not self.refused_fields:
            self.replace_errors([answer.reason])  # the message is about the choice of a template
        if answer.code == UNKNOWN:
            for field in self.refused_fields:
                field.replace_error(unknown_text(answer.params["name"], self.placeholders))


class TemplateForm(RecordForm):
    """The form of a template. Its variables are the names in double braces."""

    template = "web/email_templates/form.html"

    form_class = EmailTemplateForm

    @property
    def design(self) -> Values | None:
        """The design of the template, whose text is no field then."""
        record: Values = getattr(self, "record", {})
        return record.get("design")

    def form(self, values: Values | None = None) -> EmailTemplateForm:
        form = EmailTemplateForm(initial=values)
        if self.design is not None:
            del form.fields["body"]
        form.placeholders = placeholders(self.definitions or ())
        return form

    def body(self, values: Values) -> JsonObject:
        before: Values = getattr(self, "record", {})
        texts = [values.get("subject", before.get("subject", "")), *self.texts(values)]
        required_text = values["required"] if "required" in values else required_in(before)
        required = [name.strip() for name in required_text.split(",") if name.strip()]
        used = [name for text in texts for name in names_in(text)]
        names = dict.fromkeys([*(name for name in used if not name.startswith(KNOWN)), *required])
        fields = self.field_names()
        # A name that is no field is left to the API to refuse: nothing would ever stand in its place.
        names = {name: None for name in names if fields is None or name.casefold() in fields}
        kinds = {variable["name"]: variable["dateType"] for variable in before.get("variables", [])}
        variables = [{"name": name, "required": name in required, "dateType": kinds.get(name)} for name in names]
        return {**{name: value for name, value in values.items() if name != "required"}, "variables": variables}

    def texts(self, values: Values) -> list[str]:
        """Return the texts below the subject: those of the design, else the body."""
        before: Values = getattr(self, "record", {})
        return texts_in(self.design) if self.design is not None else [values.get("body", before.get("body", ""))]

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        chosen = self.request.POST.get("contact", "")
        beside = {
            "people": self.people,
            "contact": chosen,
            "find": self.find,
            "can_test": self.may("campaign", "POST"),
        }
        return super().page({**beside, **context}, template=template, status=status)

    @property
    def find(self) -> str:
        """Return the search text for contacts in the preview."""
        return " ".join(self.request.POST.get("find", "").split())[:200]

    @cached_property
    def people(self) -> list[Option]:
        """The first contacts to preview the mail for, those that the search finds."""
        search = {"searchValue": self.find} if self.find else {}
        options = self.options_of("contact", fields="name,email", n="20", **search) if self.form_shown else []
        return [option for option in options if option.label]

    @property
    def form_shown(self) -> bool:
        """Return whether the reader may change the shown template."""
        return self.may(self.module, "PUT" if "id" in self.params else "POST")

    def do_preview(self) -> HttpResponse:
        """Show the mail of the form's content, in the frame next to it."""
        form = self.form().bind(self.request.POST)
        mail = self.mail(form)
        if mail["subject"] and (mail.get("body") or mail.get("design")):
            answer = self.ask("POST", "template/email/preview", None, mail)
            problem = "" if answer.ok else self.problem(answer)
            return mail_frame(self.request, mail=answer.data, problem=problem)
        return mail_frame(self.request, problem=_("Write a subject and a text to see a preview."))

    def problem(self, answer: Answer) -> str:
        """Return why there is no preview."""
        if answer.code == UNKNOWN:
            return unknown_text(answer.params["name"], placeholders(self.definitions or ()))
        return answer.refusal

    def do_find(self) -> HttpResponse:
        """Show the form as it is, with the contacts that a search finds, the first of them chosen."""
        context = self.context() if isinstance(self, EditRecord) else {}
        first = self.people[0].value if self.people else ""
        return self.page({**context, "form": self.form().bind(self.request.POST), "contact": first})

    def mail(self, form: Form, contact: str = "") -> JsonObject:
        """Return the form's mail and the contact of its preview, as the API accepts them."""
        payload = self.body(form.values)
        shown = self.request.POST.get("contact") or contact or None
        content = {name: payload.get(name, "") for name in ("subject", "body", "variables")}
        if self.design is not None:
            content = {**content, "design": self.design}
            del content["body"]
        before: Values = getattr(self, "record", {})
        return {**content, "attachments": before.get("attachments", []), "contactId": shown}

    def channel(self) -> str:
        """Return the kind of sender that a test goes by: a mail vendor where there is no mail server."""
        answer = self.ask("GET", "mail-vendors") if self.may("apps") else None
        senders = answer.data["senders"] if answer is not None and answer.ok else []
        return str(senders[0]["app"]) if senders else "smtp"

    def do_test(self) -> HttpResponse:
        """Send the form's mail, saved or not, to the reader, with the values of the chosen contact or of the first
        one."""
        form = self.form().bind(self.request.POST)
        to = self.reader.email
        mail = self.mail(form, self.people[0].value if self.people else "")
        answer = self.ask("POST", f"campaign/test/{self.channel()}", None, {**mail, "to": [to]})
        if answer.ok:
            label = next(
                (option.label for option in self.people if option.value == mail["contactId"]), _("the chosen contact")
            )
            text = (
                _("Test sent to %(to)s, with the data of %(name)s. Nothing is saved yet.")
                if mail["contactId"]
                else _("Test sent to %(to)s, with field names, since there are no contacts. Nothing is saved yet.")
            )
            self.add_toast(text % {"to": to, "name": label})
        else:
            form.refuse(answer)
        context = self.context() if isinstance(self, EditRecord) else {}
        return self.page({**context, "form": form}, status=200 if answer.ok else 422)

    @cached_property
    def definitions(self) -> list[Values] | None:
        """The definitions of contacts' fields, or None if the reader may not see them."""
        answer = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        return answer.data if answer is not None and answer.ok else None

    def field_names(self) -> set[str] | None:
        """Return the names and ids of contacts' fields, or None if the reader may not see them."""
        if self.definitions is None:
            return None
        return {str(field[key]).casefold() for field in self.definitions for key in ("name", "uniqueFieldID")}


class TemplatePage(Page):
    module = "template"
    menu = MenuItem(
        gettext_lazy("Email templates"), OUTREACH, 40, "mail-plus", keywords=gettext_lazy("snippets designs")
    )
    kind = TEMPLATES


class EmailTemplates(RecordList, TemplatePage):
    path = "templates"
    name = "email-templates"
    title = gettext_lazy("Email templates")
    rows = "web/email_templates/rows.html"
    hint = gettext_lazy("Name, subject")
    adds = "email-template-choose"
    add_label = gettext_lazy("New email")
    none = gettext_lazy("No templates yet")
    count = ngettext_lazy("%(count)s template", "%(count)s templates")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("subject", gettext_lazy("Subject"), "subject"),
        Column("category", gettext_lazy("Category"), "category"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class NewEmailTemplate(NewRecord, TemplateForm, TemplatePage):
    path = "templates/new"
    name = "email-template-new"
    shows_new = "email-template"
    title = gettext_lazy("New template")
    action = gettext_lazy("New email template")
    added = gettext_lazy("Template added")


class EditEmailTemplate(EditRecord, TemplateForm, TemplatePage):
    path = "templates/<str:id>"
    name = "email-template"
    tab_name = gettext_lazy("Email template")
    saved = gettext_lazy("Template saved")
    deleted = gettext_lazy("Template deleted")

    def values(self) -> Values:
        return {**self.record, "required": required_in(self.record)}

    def consequence(self) -> str:
        return _("Started campaigns keep the text. This can't be undone.")

    def context(self) -> JsonObject:
        shown = super().context()
        if self.record["version"] < 2:  # the first words have nothing before them
            return {**shown, "versions": []}
        answer = self.ask("GET", f"template/email/{self.params['id']}/versions", {"p": "1", "n": "10"})
        return {**shown, "versions": answer.data if answer.ok and len(answer.data) > 1 else []}

    def do_duplicate(self) -> HttpResponse:
        answer = self.ask("POST", f"template/email/{self.params['id']}/duplicate")
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(_("Template duplicated"), self.address(self.name, answer.data["_id"]))

    def do_convert(self) -> HttpResponse:
        """Give up the design: its MJML is written by hand from now on."""
        answer = self.ask("PUT", f"template/email/{self.params['id']}", None, {"design": None})
        return self.redirect_with_toast(_("Converted to code")) if answer.ok else self.refuse(answer)

    def do_restore(self) -> HttpResponse:
        version = self.request.POST.get("restore", "")
        place = f"template/email/{self.params['id']}/restore"
        answer = self.ask("POST", place, None, {"version": whole_number(version) or 0})
        return self.redirect_with_toast(_("Earlier version restored")) if answer.ok else self.refuse(answer)


class EmailTemplateFiles(TemplatePage):
    """The files that go with the mails of a template, chosen from the company's."""

    path = "templates/<str:id>/files"
    name = "email-template-files"
    title = gettext_lazy("Attachments")
    template = "web/email_templates/files.html"

    def form(self) -> Form:
        shown = self.read(f"template/email/{self.params['id']}/preview").data
        chosen = [Option(entry["_id"], _file_label(entry)) for entry in shown["attachments"]]
        chosen_ids = [entry.value for entry in chosen]
        others = [entry for entry in self.options_of("file", n=MAX_FILES) if entry.value not in chosen_ids]
        label = _("Files of %(name)s") % {"name": shown["name"]}
        field = Field("attachments", label, "checks", options=[*chosen, *others], help_text=FILES, merges=True)
        return Form(fields=[field], initial={"attachments": chosen_ids})

    def show(self) -> Values:
        form = self.form()
        if self.may(self.module, "PUT"):
            return {"form": form}
        labels = {option.value: option.label for option in form["attachments"].options}
        return {"form": None, "names": [labels[id] for id in form["attachments"].value()]}

    @property
    def back(self) -> str:
        return self.address("email-template", self.params["id"])

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("PUT", f"template/email/{self.params['id']}", None, dict(form.values))
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form}, status=422)
        return self.redirect_with_toast(_("Saved"), self.back)

    def do_upload(self) -> HttpResponse:
        """Upload files, and add them to the template's attachments."""
        if not self.may(self.module, "PUT"):
            raise PageError(403, _("You can't edit templates"))
        form = self.form()
        if "file" not in self.request.FILES:
            return self.page({"form": form, "trouble": _("Choose a file first.")}, status=422)
        answer = self.upload()
        if answer.ok:
            uploads = answer.data if isinstance(answer.data, list) else [answer.data]
            ids = [*form["attachments"].value(), *(upload["_id"] for upload in uploads)]
            answer = self.ask("PUT", f"template/email/{self.params['id']}", None, {"attachments": ids})
        if not answer.ok:
            return self.page({"form": form, "trouble": answer.reason}, status=422)
        return self.redirect_with_toast(_("File attached"), self.request.path)


PAGES = [EmailTemplates, NewEmailTemplate, EditEmailTemplate, EmailTemplateFiles]
