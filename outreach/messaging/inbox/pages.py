"""The pages of received mail, and of the mailbox of a sender."""

from __future__ import annotations

from urllib.parse import quote

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import Field, Fieldset, Form
from core.web.lists import Column, ListState
from core.web.navigation.places import INBOX, SENDERS_MENU, MenuItem
from core.web.pages import Page, page_not_found

MAIL_KINDS = {
    "reply": (gettext_lazy("Reply"), "ok"),
    "calendar": (gettext_lazy("Meeting reply"), "info"),
    "auto": (gettext_lazy("Automatic"), ""),
    "bounce": (gettext_lazy("Bounced"), "warn"),
    "complaint": (gettext_lazy("Complaint"), "bad"),
}
"""Kind -> its label, and the tone of its badge."""
SEVERITIES = {
    "hard": gettext_lazy("The mailbox does not exist. The address was added to the suppression list."),
    "soft": gettext_lazy("Not delivered. After three failures in 30 days the address is suppressed."),
    "blocked": gettext_lazy("The recipient's server blocked the sender or the content. Check the sender."),
    "delayed": gettext_lazy("Delayed. The server keeps trying."),
}
ANSWERS = {
    "accepted": gettext_lazy("Accepted"),
    "declined": gettext_lazy("Declined"),
    "tentative": gettext_lazy("Tentative"),
}
NEAR = 30
SECRET = "password"  # noqa: S105  the field's name


def mail_row(mail: Values) -> JsonObject:
    """Return a received mail with the words and the tone of its kind, and who it is about."""
    label, tone = MAIL_KINDS.get(mail["kind"], (mail["kind"], ""))
    contact = mail["contact"] or {}
    if mail["kind"] in ("bounce", "complaint"):
        who = contact.get("name") or mail["recipient"] or mail["fromEmail"]
    else:
        who = contact.get("name") or mail["fromName"] or mail["fromEmail"]
    said = mail["text"] or mail["diagnostic"] or mail["subject"]
    return {**mail, "words": label, "mood": tone, "who": who, "said": said, "comes": ANSWERS.get(mail["answer"], "")}


class InboxPage(Page):
    """Base of the pages of received mail."""

    module = "genie"
    menu = MenuItem(
        gettext_lazy("Received email"),
        INBOX,
        20,
        "mail-open",
        keywords=gettext_lazy("replies answers mailbox incoming"),
    )


class Inbox(InboxPage):
    path = name = "received-mail"
    title = gettext_lazy("Received email")
    template = "web/inbox/list.html"
    columns = (
        Column("fromName", gettext_lazy("From"), "fromName"),
        Column("text", gettext_lazy("Preview")),
        Column("kind", gettext_lazy("Kind"), "kind"),
        Column("run", gettext_lazy("Outreach")),
        Column("receivedAt", gettext_lazy("Received"), "receivedAt"),
    )
    choices = (
        Choice("kind", gettext_lazy("Kind"), ("in",), tuple((kind, words) for kind, (words, _) in MAIL_KINDS.items())),
    )

    def show(self) -> Values:
        only = self.request.GET.get("only") == "unread"
        linked = [Choice("run", gettext("Outreach"), ("in",)), Choice("contact", gettext("Contact"), ("in",))]
        choices = {entry.name: entry for entry in (*self.choices, *linked)}
        unread = [{"field": "isRead", "operator": "equals", "value": False}] if only else []
        state = ListState(self.request.GET, choices, keeps=("only",), fixed=unread, zone=self.zone_name)
        answer = self.read("inbox", state.query())
        for name in ("run", "contact"):
            names = {entry[name]["_id"]: entry[name]["name"] for entry in answer.data if entry[name]}
            ids = [entry.value for entry in state.filters if entry.name == name]
            options = tuple((value, names.get(value) or gettext("deleted record")) for value in ids)
            choices[name] = Choice(name, choices[name].label, ("in",), options)
        return {
            "state": state,
            "choices": self.choices,
            "columns": self.columns,
            "mails": [mail_row(entry) for entry in answer.data],
            "total": answer.total,
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "only": only,
        }


class InboundMail(InboxPage):
    path = "received-mail/<str:id>"
    name = "inbound-mail"
    tab_name = gettext_lazy("Received email")
    record_kind = ("inbox", gettext_lazy("Received email"))
    template = "web/inbox/detail.html"

    def show(self) -> Values:
        mail = mail_row(self.read(f"inbox/{self.params['id']}").data)
        others = self.read("inbox", {"p": "1", "n": str(NEAR)})
        return {
            "mail": mail,
            "title": mail["subject"] or gettext("No subject"),
            "queue": [mail_row(other) for other in others.data],
            "severity": SEVERITIES.get(mail["severity"], ""),
            "answer_by": self.answer_by(mail) if mail["kind"] in ("reply", "calendar", "auto") else "",
        }

    def answer_by(self, mail: Values) -> str:
        """Return the address of the form of a reply; without contact or right the link that a mail program takes."""
        if mail["contact"] and self.may("genie", "POST"):
            return self.address("email-new", contact=mail["contact"]["_id"], reply=mail["_id"])
        if not mail["fromEmail"]:
            return ""
        subject = mail["subject"] if mail["subject"].lower().startswith("re:") else f"Re: {mail['subject']}"
        answered = f"&In-Reply-To={quote('<' + mail['messageId'] + '>')}" if mail["messageId"] else ""
        return f"mailto:{quote(mail['fromEmail'], safe='@')}?subject={quote(subject)}{answered}"

    def do_read(self) -> HttpResponse:
        return self.mark(True, gettext("Marked as read"))

    def do_unread(self) -> HttpResponse:
        return self.mark(False, gettext("Marked as unread"))

    def mark(self, is_read: bool, message: str) -> HttpResponse:
        answer = self.ask("PUT", f"inbox/{self.params['id']}", None, {"isRead": is_read})
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "inbox", None, {"ids": [self.params["id"]]})
        return (
            self.redirect_with_toast(gettext("Deleted from the inbox"), self.address("received-mail"))
            if answer.ok
            else self.refuse(answer)
        )


class RunReplies(InboxPage):
    """The newest replies to an outreach: a part of its page, and without script a page of its own."""

    path = "outreach/<str:id>/replies"
    name = "run-replies"
    tab_name = gettext_lazy("Replies")
    title = gettext_lazy("Replies")
    template = "web/inbox/of_run.html"

    def show(self) -> Values:
        if not self.read("genie", {"ids": self.params["id"], "p": "1", "n": "1", "fields": "name"}).data:
            raise page_not_found()
        filters = {"run": self.params["id"], "kind": "reply"}
        answer = self.read("inbox", {"p": "1", "n": "5", "filters": filters})
        return {"mails": answer.data, "total": answer.total, "run_id": self.params["id"]}


MAILBOX_FIELDSETS = (
    Fieldset(gettext_lazy("Mail server"), (("host", "port"), ("username", SECRET), "secure")),
    Fieldset(gettext_lazy("Reading"), ("folders", "isActive")),
)


class SenderMailbox(Page):
    """The mailbox that replies to a sender come to."""

    path = "senders/<str:id>/mailbox"
    name = "sender-mailbox"
    tab_name = gettext_lazy("Mailbox")
    record_kind = ("imap", gettext_lazy("Mailboxes"))
    title = gettext_lazy("Mailbox")
    module = "apps"
    menu = SENDERS_MENU
    template = "web/inbox/mailbox.html"

    def form(self, mailbox: Values | None = None, sender: Values | None = None) -> Form:
        """Make the form of a mailbox, a new one or the one with the values."""
        exists = mailbox is not None
        account = (sender or {}).get("fromEmail", "")
        values = {**mailbox, "folders": ", ".join(mailbox["folders"])} if mailbox else None
        return Form(
            fields=[
                Field("host", gettext("Mail server (IMAP)"), required=True, placeholder="imap.example.org"),
                Field("port", gettext("Port"), "number", required=True, initial=993),
                Field("username", gettext("Username"), required=True, initial=account),
                Field(
                    SECRET,
                    gettext("Password"),
                    "password",
                    required=not exists,
                    autocomplete="new-password",
                    help_text=gettext("Stored encrypted. Leave empty to keep it.") if exists else "",
                ),
                Field("secure", gettext("Require encryption (TLS)"), "switch", initial=True),
                Field(
                    "folders",
                    gettext("Folders"),
                    initial="INBOX",
                    help_text=gettext("Separate with commas, such as INBOX, Junk."),
                ),
                *([Field("isActive", gettext("Check every minute"), "switch", initial=True)] if exists else []),
            ],
            initial=values,
            fieldsets=MAILBOX_FIELDSETS,
        )

    def found(self) -> tuple[Values, Values | None]:
        """Return the sender and its mailbox, if it has one. The address names either."""
        named = self.ask("GET", f"apps/smtp/{self.params['id']}")
        if not named.ok:
            mailbox = self.read(f"apps/imap/{self.params['id']}").data
            return mailbox["smtp"], mailbox
        sender = named.data
        rows = self.read("apps/imap", {"p": "1", "n": "1", "filters": {"smtp": sender["_id"]}}).data
        return sender, rows[0] if rows else None

    def show(self) -> Values:
        sender, mailbox = self.found()
        changes = self.may("apps", "PUT" if mailbox else "POST")
        return {
            "sender": sender,
            "mailbox": mailbox,
            "form": self.form(mailbox, sender) if changes else None,
            "title": gettext("Replies to %(from_email)s") % {"from_email": sender["fromEmail"]},
        }

    def do_save(self) -> HttpResponse:
        sender, mailbox = self.found()
        form = self.form(mailbox, sender).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        values["folders"] = [part.strip() for part in str(values.get("folders", "")).split(",") if part.strip()]
        if mailbox is None:
            answer = self.ask("POST", "apps/imap", None, {**values, "smtp": sender["_id"]})
        else:
            answer = self.ask("PUT", f"apps/imap/{mailbox['_id']}", None, values)
        if not answer.ok:
            return self.invalid(form, answer)
        if answer.data["verified"]:
            return self.redirect_with_toast(gettext("Saved. Replies are read from now on."))
        return self.redirect_with_toast(
            gettext("Saved, but the mailbox can't be read: %(last_error)s") % {"last_error": answer.data["lastError"]}
        )

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"apps/imap/{self.sent_id()}/test")
        if not answer.ok:
            return self.refuse(answer)
        check = answer.data
        return self.redirect_with_toast(
            gettext("The connection works")
            if check["ok"]
            else gettext("The mailbox can't be read: %(detail)s") % {"detail": check["detail"]}
        )

    def do_delete(self) -> HttpResponse:
        sender, mailbox = self.found()
        answer = self.ask("DELETE", "apps/imap", None, {"ids": [mailbox["_id"] if mailbox else ""]})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(gettext("Mailbox disconnected"), self.address("sender", sender["_id"]))


PAGES = [Inbox, InboundMail, RunReplies, SenderMailbox]
