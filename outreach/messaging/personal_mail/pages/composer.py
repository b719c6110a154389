"""The form of an email to one person: what it offers, stores and sends."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from core.ids import is_id, new_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.forms.record_forms import fields_query
from core.web.mail_frames import mail_frame
from core.web.pages import PageError, page_not_found
from core.web.toasts import HOLD_SECONDS, TIMED
from outreach.messaging.email_templates.placeholder_names import placeholders
from outreach.messaging.personal_mail.pages.base import EmailPage

OF_BODY = {"text": "body", "html": "body", "mailApp": "smtp"}
"""Name in the API -> the form's, if it differs."""
TASK_DAYS = 3


class EmailForm(Form):
    smtp = Field(label=gettext_lazy("From"), kind="select", placeholder=gettext_lazy("Usual sender"))
    subject = Field(label=gettext_lazy("Subject"))
    body = Field(
        label=gettext_lazy("Text"), kind="textarea", required=True, help_text=gettext_lazy("Plain text, HTML or MJML.")
    )
    signature = Field(
        label=gettext_lazy("Signature"),
        kind="textarea",
        help_text=gettext_lazy("Change your default signature under Profile and preferences."),
    )
    attachments = Field(label=gettext_lazy("Attachments"), kind="checks")
    sendAt = Field(
        label=gettext_lazy("Send later"),
        kind="datetime-local",
        help_text=gettext_lazy("Leave empty to send now."),
    )


class Composer(EmailPage):
    """Shared parts of the pages with the form of an email."""

    template = "web/emails/write.html"

    @cached_property
    def mail(self) -> Values | None:
        """The stored email that the form is about; None for a new one."""
        id = self.params.get("id") or self.requested_id("id")
        return self.read(f"message/{id}").data if id else None

    def requested_id(self, name: str) -> str:
        """Return an id that the form or the address has; empty without one."""
        value = self.request.POST.get(name) or self.request.GET.get(name) or ""
        if value and not is_id(value):
            raise page_not_found()
        return value

    @cached_property
    def to(self) -> Mapping[str, str]:
        """The record of the person: its kind and id."""
        if self.mail is not None:
            return {"kind": self.mail["to"]["kind"], "id": self.mail["to"]["id"]}
        for kind in ("lead", "contact"):
            if id := self.requested_id(kind):
                return {"kind": kind, "id": id}
        raise PageError(404, _("Choose who to write to"), _("Open a contact or a lead, then choose Email."))

    @cached_property
    def person(self) -> Values:
        """The contact that gets the email."""
        if self.mail is not None:
            contact: Values = self.mail["contact"]
            return contact
        answer = self.ask("GET", f"{self.to['kind']}/{self.to['id']}")
        if answer.status == 400:
            raise page_not_found()
        record = self.require_ok(answer).data
        person: Values = record["contact"] if self.to["kind"] == "lead" else record
        return person

    @cached_property
    def choices(self) -> Values:
        """The senders, templates and files to choose from, and the reader's signature."""
        choices: Values = self.read("message/choices").data
        return choices

    @cached_property
    def replied_mail(self) -> Values | None:
        """The received or sent email that is replied to."""
        id = self.mail["inReplyTo"] if self.mail else self.requested_id("reply")
        if not id:
            return None
        received = self.ask("GET", f"inbox/{id}")
        answer = received if received.ok else self.ask("GET", f"genie/send-jobs/{id}")
        return answer.data if answer.ok else None

    @cached_property
    def uploads(self) -> list[Values]:
        """The files that the form has just sent."""
        if "file" not in self.request.FILES:
            return []
        answer = self.require_ok(self.upload())
        return answer.data if isinstance(answer.data, list) else [answer.data]

    def form(self, values: Values | None = None) -> Form:
        form = EmailForm(initial=values if values is not None else self.stored_values())
        senders = self.choices["senders"]
        form.fields["smtp"].options = [Option(sender["_id"], from_label(sender)) for sender in senders]
        if len(senders) < 2:
            del form.fields["smtp"]
        files = [Option(file["_id"], file["name"]) for file in self.choices["files"] or ()]
        kept = [Option(file["_id"], file["name"] or _("A file")) for file in (self.mail or {}).get("files", ())]
        known = {option.value: option for option in (*kept, *files)}
        known |= {file["_id"]: Option(file["_id"], file["name"]) for file in self.uploads}
        form.fields["attachments"].options = [*known.values()]
        if not known:
            del form.fields["attachments"]
        return form

    def stored_values(self) -> Values:
        """Return the values of the stored email, or those of a new one."""
        if self.mail is None:
            return {"subject": self.reply_subject(), "signature": self.choices["signature"]}
        sender = self.mail["smtp"] or self.mail["mailApp"] or {}
        return {**self.mail, "smtp": sender.get("_id", ""), "body": self.mail["html"] or self.mail["text"]}

    def reply_subject(self) -> str:
        subject = self.replied_mail["subject"] if self.replied_mail else ""
        return subject if not subject or subject.lower().startswith("re:") else f"Re: {subject}"

    def body(self, form: Form) -> JsonObject:
        """Return what the form says, as the API accepts it."""
        values = {name: value for name, value in form.values.items() if name != "body"}
        body: JsonObject = {**values, "text": form.values.get("body") or "", "html": ""}
        body["smtp"] = values.get("smtp") or None
        body["sendAt"] = values.get("sendAt") or None
        body["attachments"] = [*(values.get("attachments") or ()), *(file["_id"] for file in self.uploads)]
        if self.mail is None:
            body["to"] = dict(self.to)
            body["inReplyTo"] = self.requested_id("reply") or None
        return body

    @cached_property
    def key(self) -> str:
        """The form's own name of its email, by which Send and the kept draft are one."""
        return self.requested_id("key") or (self.mail["_id"] if self.mail else new_id())

    def save(self, form: Form, **values: object) -> Answer:
        """Store the email."""
        body = {**self.body(form), **values}
        if self.mail is None:
            return self.ask("POST", "message", None, {**body, "key": self.key})
        return self.ask("PUT", f"message/{self.mail['_id']}", None, body)

    def keep_draft(self, form: Form) -> Answer:
        """Store the draft, unless the form's email has been sent meanwhile."""
        return self.ask("POST", "message", None, {**self.body(form), "to": self.to, "key": self.key, "draft": True})

    def show(self) -> Values:
        return self.context(self.form())

    def context(self, form: Form) -> JsonObject:
        """Return the context of the composer."""
        record = self.address(self.to["kind"], self.to["id"])
        return {
            "form": form,
            "mail": self.mail,
            "person": self.person,
            "to": self.to,
            "key": self.key,
            "before": self.replied_mail,
            "reply": self.requested_id("reply"),
            "templates": self.choices["templates"],
            "placeholders": self.placeholders,
            "record_url": record,
            "title": _("Email to %(name)s") % {"name": self.person["name"] or self.person["email"] or _("a contact")},
            "can_send": self.may("genie", "PUT" if self.mail else "POST"),
            "can_upload": self.may("file", "POST"),
            "can_add_task": self.to["kind"] == "lead" and self.may("lead-activity", "POST"),
        }

    @cached_property
    def placeholders(self) -> list[tuple[str, str]]:
        """Text and label of the fields that the words can name."""
        answer = self.ask("GET", "custom-field", fields_query("contact")) if self.may("custom-field") else None
        definitions = answer.data if answer is not None and answer.ok else ()
        return [(placeholder.text, placeholder.label) for placeholder in placeholders(definitions)]

    def refused(self, form: Form, answer: Answer) -> HttpResponse:
        """Show the form again with the reasons, and keep the draft of an email that may not be sent to the contact."""
        form.refuse(answer, lambda name: OF_BODY.get(name, name))
        if answer.name == "NoMessagesSent_400":
            kept = self.keep_draft(form).ok
            form.refusal_title = (
                _("The email was not sent. It is saved as a draft.") if kept else _("The email was not sent.")
            )
        return self.page(self.context(form), status=422)

    def do_save(self) -> HttpResponse:
        """Send the email, or schedule it."""
        form = self.form().bind(self.request.POST)
        answer = self.save(form, draft=False, delaySeconds=HOLD_SECONDS)
        if not answer.ok:
            return self.refused(form, answer)
        return self.sent(answer.data)

    def do_task(self) -> HttpResponse:
        """Send the email, and add a task to follow it up."""
        form = self.form().bind(self.request.POST)
        answer = self.save(form, draft=False, delaySeconds=HOLD_SECONDS)
        if not answer.ok:
            return self.refused(form, answer)
        due = timezone.now() + timedelta(days=TASK_DAYS)
        title = _("Follow up: %(subject)s") % {"subject": answer.data["subject"]}
        task = {"lead": self.to["id"], "title": title[:300], "dueAt": due.isoformat()}
        added = self.ask("POST", "lead-activity/follow-up", None, task)
        if not added.ok:
            self.add_error_toast(_("The task was not added: %(reason)s") % {"reason": added.refusal})
            return self.sent(answer.data)
        text = (
            _("Email scheduled. Task added, due in %(days)s days.")
            if answer.data["sendAt"]
            else _("Email sent. Task added, due in %(days)s days.")
        )
        return self.sent(answer.data, text % {"days": TASK_DAYS})

    def sent(self, mail: Values, text: str = "") -> HttpResponse:
        """Return to the record, with ten seconds to take the email back."""
        if not text:
            text = _("Email scheduled") if mail["sendAt"] else _("Email sent")
        back = {**TIMED, "do": "undo", "address": self.address("email", mail["_id"])}
        self.add_toast(text, back=back)
        return self.redirect_with_toast(to=self.address(self.to["kind"], self.to["id"]))

    def do_draft(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.save(form, draft=True)
        if not answer.ok:
            return self.refused(form, answer)
        if not answer.data["draft"]:
            return self.sent(answer.data)
        return self.redirect_with_toast(_("Draft saved"), self.address("email", answer.data["_id"]))

    def do_template(self) -> HttpResponse:
        """Show the form with the words of a template; nothing is stored yet."""
        form = self.form().bind(self.request.POST)
        chosen = self.requested_id("template")
        answer = self.ask("GET", f"template/email/{chosen}") if chosen else None
        if answer is not None and answer.ok:
            form["subject"].replace(answer.data["subject"])
            form["body"].replace(answer.data["body"])
        return self.page(self.context(form))

    def do_preview(self) -> HttpResponse:
        """Show the email as its recipient gets it, in the frame next to the form."""
        form = self.form().bind(self.request.POST)
        if not (form.values.get("body") or "").strip():
            return mail_frame(self.request, problem=_("Write a text to see a preview."))
        body = {**self.body(form), "to": dict(self.to)}
        answer = self.ask("POST", "message/preview", None, body)
        return mail_frame(
            self.request, mail=answer.data if answer.ok else None, problem="" if answer.ok else answer.refusal
        )


def from_label(sender: Values) -> str:
    """Return the label of a sender in a choice; one that its guardrail has stopped is marked."""
    name = f"{sender['fromName']} <{sender['fromEmail']}>"
    return _("%(sender)s (stopped)") % {"sender": name} if sender["stoppedAt"] else name
