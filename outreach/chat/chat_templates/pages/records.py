"""The pages of templates of chat messages: their list, and their submission to the vendor."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse

from core.text.translation import gettext_lazy as _
from core.text.translation import ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import ONE_OF, Choice
from core.web.forms import Form
from core.web.lists import Column
from core.web.navigation.places import OUTREACH, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordList, Records
from outreach.chat.chat_templates.pages.form import VALUE_OF, ChatTemplateForm, examples_of

CHAT_TEMPLATES = Records(
    "template/chatapp",
    "chat-templates",
    "message-square-text",
    _("For first messages, and 24 hours after the contact's last message."),
)
STATES = {
    "DRAFT": (_("Draft"), ""),
    "PENDING": (_("In review by the vendor"), "info"),
    "APPROVED": (_("Approved"), "ok"),
    "REJECTED": (_("Rejected"), "bad"),
    "PAUSED": (_("Paused by the vendor"), "warn"),
    "DISABLED": (_("Disabled by the vendor"), "bad"),
}
"""Status -> its label and tone."""


def state_of(template: Values) -> JsonObject:
    """Return a template with the label and tone of its status."""
    label, tone = STATES.get(template["status"], (template["status"], ""))
    return {**template, "words": label, "mood": tone}


class ChatTemplatePage(Page):
    module = "template"
    menu = MenuItem(_("Chat templates"), OUTREACH, 50, "message-square-text", keywords=_("message templates snippets"))
    kind = CHAT_TEMPLATES


class ChatTemplates(RecordList, ChatTemplatePage):
    path = "chat-templates"
    name = "chat-templates"
    title = _("Chat templates")
    rows = "web/chat_templates/rows.html"
    adds = "chat-template-new"
    add_label = _("New chat template")
    none = _("No chat templates yet")
    count = ngettext_lazy("%(count)s chat template", "%(count)s chat templates")
    columns = (
        Column("name", _("Name"), "name"),
        Column("app", _("Chat app")),
        Column("status", _("Status"), "status"),
        Column("language", _("Language"), "language"),
        Column("updatedAt", _("Changed"), "updatedAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("status", _("Status"), ONE_OF, tuple((key, label) for key, (label, tone) in STATES.items())),)

    def show(self) -> Values:
        context = super().show()
        return {**context, "records": [state_of(record) for record in context["records"]]}


class NewChatTemplate(NewRecord, ChatTemplateForm, ChatTemplatePage):
    path = "chat-templates/new"
    name = "chat-template-new"
    title = _("New chat template")
    action = title
    added = _("Chat template added")

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", self.kind.path, None, self.body(form.values))
        if not answer.ok:
            return self.wrong(form, answer)
        return self.redirect_with_toast(
            _("Draft saved. Submit it for approval next."), self.address("chat-template", answer.data["_id"])
        )


class EditChatTemplate(EditRecord, ChatTemplateForm, ChatTemplatePage):
    path = "chat-templates/<str:id>"
    name = "chat-template"
    tab_name = _("Chat template")
    saved = _("Chat template saved")
    deleted = _("Chat template deleted")

    def form(self, values: Values | None = None) -> Form:
        """Return the form. The app can't be changed; nor can name, language and category of a template that was
        submitted."""
        shown_form = super().form(values)
        fixed = ("app", "name", "language", "category") if self.record["vendorId"] else ("app",)
        shown_form.drop(*fixed)
        return shown_form

    def values(self) -> Values:
        parts = {part["type"]: part for part in self.record["components"]}
        header, body = parts.get("HEADER", {}), parts.get("BODY", {})
        variables = dict(self.record["variables"])
        link = variables.pop("header.link", "")
        example = {**examples_of(body, "body_text"), **examples_of(header, "header_text", "header.")}
        button_values: JsonObject = {}
        for place, part in enumerate(parts.get("BUTTONS", {}).get("buttons", ())):
            value = part.get(VALUE_OF.get(part["type"], ""), "")
            examples = part.get("example") or [""]
            if part["type"] == "URL" and examples[0]:
                example[f"button.{place}"] = examples[0]
            shown = {
                "kind": part["type"],
                "text": part.get("text", ""),
                "value": value if isinstance(value, str) else value[0],
            }
            button_values |= {f"button-{place}-{name}": text for name, text in shown.items()}
        names = dict.fromkeys([*example, *variables])
        lines = [f"{name} = {variables.get(name, '')} | {example.get(name, '')}" for name in names]
        return {
            **{name: self.record[name] for name in ("name", "language", "category")},
            "headerFormat": header.get("format", "TEXT") if header else "",
            "headerText": header.get("text", ""),
            "headerHandle": (header.get("example", {}).get("header_handle") or [""])[0],
            "headerLink": link,
            "body": body.get("text", ""),
            "variables": "\n".join(lines),
            "footer": parts.get("FOOTER", {}).get("text", ""),
            **button_values,
        }

    def context(self) -> JsonObject:
        can_test = self.record["status"] == "APPROVED" and self.may("campaign", "POST")
        return {**super().context(), "chat_template": state_of(self.record), "can_test": can_test}

    def consequence(self) -> str:
        return _("Also deleted at the vendor. Waiting messages are not sent. This can't be undone.")

    def do_save(self) -> HttpResponse:
        form = self.bound_form()
        if not form.is_valid():
            return self.show_refused(form, **self.context())
        if not form.changed(self.values()):
            return self.redirect_with_toast(to=self.list_address())
        answer = self.ask("PUT", f"{self.kind.path}/{self.params['id']}", None, self.body(form.values))
        if not answer.ok:
            return self.wrong(form, answer)
        return self.redirect_with_toast(_("Saved"))

    def do_submit(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.kind.path}/{self.params['id']}/submit")
        return self.redirect_with_toast(_("Submitted for approval")) if answer.ok else self.refuse(answer)

    def do_test(self) -> HttpResponse:
        """Send the template as it is saved to the reader's own number."""
        payload = {"templateId": self.params["id"], "to": [self.reader.email]}
        answer = self.ask("POST", "campaign/test/chatapp", None, payload)
        return self.redirect_with_toast(_("Test sent to you")) if answer.ok else self.refuse(answer)

    def do_sync(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.kind.path}/sync", None, {"app": self.record["app"]["_id"]})
        if not answer.ok:
            return self.refuse(answer)
        after = self.ask("GET", f"{self.kind.path}/{self.params['id']}")
        return self.redirect_with_toast(
            _("Status: %(status)s") % {"status": STATES[after.data["status"]][0]} if after.ok else _("Status checked")
        )


PAGES = [ChatTemplates, NewChatTemplate, EditChatTemplate]
