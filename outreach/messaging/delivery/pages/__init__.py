"""The pages of messages: the log of all of them, one with its life, and how a mail program shows it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.ask import Answer
from core.web.filters import DATE, YES_NO, Choice
from core.web.lists import Column, ListState
from core.web.navigation.places import OUTREACH, MenuItem
from core.web.toasts import HOLD_SECONDS, TIMED
from outreach.messaging.delivery.pages.reason_links import Case, Link, link_of, record_id
from outreach.messaging.delivery.pages.reason_texts import ReasonedPage
from outreach.messaging.delivery.types import MessageDetailData

STATUSES = (
    ("planned", gettext_lazy("Planned")),
    ("draft", gettext_lazy("Needs approval")),
    ("approved,claimed,sending", gettext_lazy("Sending")),
    ("sent", gettext_lazy("Sent")),
    ("failed,unknown,cancelled,suppressed", gettext_lazy("Not sent")),
    ("failed", gettext_lazy("Failed")),
    ("unknown", gettext_lazy("Delivery unknown")),
)
"""Statuses -> their label."""
OUTCOMES = {
    "delivered": gettext_lazy("Delivered"),
    "opened": gettext_lazy("Opened"),
    "clicked": gettext_lazy("Clicked"),
    "repliedSince": gettext_lazy("Replied"),
    "bounced": gettext_lazy("Bounced"),
    "unsubscribedSince": gettext_lazy("Unsubscribed"),
    "converted": gettext_lazy("Converted"),
}
"""Filter by an outcome -> its label."""
ACTIONS = {
    "approve": gettext_lazy("Message approved"),
    "draft": gettext_lazy("Moved back to drafts"),
    "cancel": gettext_lazy("Message cancelled"),
    "stop-follow-ups": gettext_lazy("Follow-ups stopped"),
}
"""Operation of the API -> the message about its success."""
UNDONE = ("approve", "cancel")
"""Operations that making a draft takes back."""
STOPPABLE = ("planned", "draft", "approved")
"""Statuses of messages that a person can still stop."""
MACHINES = {
    "head": gettext_lazy("by a program; not counted"),
    "scanner": gettext_lazy("by a program; not counted"),
    "too_soon": gettext_lazy("by a program (opened too quickly); not counted"),
    "all_links": gettext_lazy("by a program (followed all links at once); not counted"),
    "member": gettext_lazy("by someone in your company; not counted"),
}
"""Reason why a visit is not the recipient's -> its description."""
TOO_LATE = gettext_lazy("Too late to undo: the message is already sent")
GONE = ("claimed", "sending", "sent", "failed", "unknown")
"""Statuses of messages that were approved and that nobody can hold any more."""
RECENT = {"p": "1", "n": "50"}
PREVIEW = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'self'"
)
"""The policy of a preview: foreign content may look like a mail, and has no effects."""


def step_name(number: int) -> str:
    """Return the name of a step's messages."""
    return _("First message") if number == 1 else _("Follow-up %(number)s") % {"number": number - 1}


class Statuses(Choice):
    """A filter by several statuses at once, with commas between them."""

    def api_value(self, operator: str, text: str) -> Any:
        return text.split(",")


class MessagePage(ReasonedPage):
    """Shared parts of the pages of messages."""

    module = "genie"
    menu = MenuItem(
        gettext_lazy("Messages"), OUTREACH, 30, "mail", keywords=gettext_lazy("sent emails drafts approve scheduled")
    )


class Messages(MessagePage):
    path = name = "messages"
    title = gettext_lazy("Messages")
    template = "web/messages/list.html"
    columns = (
        Column("contact", gettext_lazy("To"), "contact.name"),
        Column("subject", gettext_lazy("Subject"), "subject"),
        Column("status", gettext_lazy("Status"), "status"),
        Column("sentence", gettext_lazy("Reason")),
        Column("run", gettext_lazy("Outreach")),
        Column("createdAt", gettext_lazy("Created"), "createdAt"),
    )

    def show(self) -> Values:
        runs = self.ask("GET", "genie", RECENT)
        named = {run["_id"]: run["name"] for run in runs.data or []}
        choices = {
            "status": Statuses("status", _("State"), ("in",), STATUSES),
            "run": Choice("run", _("Outreach"), ("in",), tuple(named.items())),
            "recipient": Choice("recipient", _("Address"), ("contains", "equals")),
            "handedAt": Choice("handedAt", _("Sent"), DATE, kind="date"),
            **{name: Choice(name, str(label), ("equals",), YES_NO, kind="flag") for name, label in OUTCOMES.items()},
        }
        shown = list(choices.values())
        choices["step"] = Choice("step", _("Step"), ("equals",), (("1", _("First message")),), kind="number")
        choices["reason"] = Choice("reason", _("Reason"), ("in",))
        state = ListState(self.request.GET, choices, zone=self.zone_name)
        answer = self.read("genie/send-jobs", state.query())
        self.name_filters(choices, state, answer, named)
        return {
            "state": state,
            "choices": shown,
            "columns": self.columns,
            "messages": answer.data,
            "total": answer.total,
            "more": state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }

    def name_filters(self, choices: dict[str, Choice], state: ListState, answer: Answer, named: dict[str, str]) -> None:
        """Set the labels of the filters in links, from the messages that they select."""
        reasons = {entry["reason"]: entry["sentence"] for entry in answer.data if entry["reason"]}
        runs = {entry["run"]["_id"]: entry["run"]["name"] for entry in answer.data if entry["run"]} | named
        for name, labels, unknown in (("reason", reasons, _("another reason")), ("run", runs, _("another outreach"))):
            options = tuple(
                (entry.value, labels.get(entry.value, unknown)) for entry in state.filters if entry.name == name
            )
            choices[name] = Choice(name, choices[name].label, ("in",), options)


class Message(MessagePage):
    path = "messages/<str:id>"
    name = "message"
    tab_name = gettext_lazy("Message")
    template = "web/messages/detail.html"

    def show(self) -> Values:
        message: MessageDetailData = self.read(f"genie/send-jobs/{self.params['id']}").data
        thread = [{**entry, "name": step_name(entry["step"])} for entry in message["thread"]]
        thread = thread if len(thread) > 1 or message["nextStepAt"] else []
        waits = [entry for entry in thread if entry["step"] > 1 and entry["status"] in STOPPABLE]
        answers = self.ask("GET", "inbox", {"p": "1", "n": "10", "filters": {"sendJob": message["_id"]}})
        return {
            "message": message,
            "answers": answers.data if answers.ok else [],
            "title": message["subject"] or _("Message"),
            "reason_link": self.reason_link(message),
            "transitions": message["transitions"],
            "visits": [{**entry, "words": MACHINES.get(entry["machine"], "")} for entry in message["opensAndClicks"]],
            "stoppable": message["status"] in STOPPABLE,
            "thread": thread,
            "step_name": step_name(message["step"]),
            "follows_at": next((entry["nextStepAt"] for entry in thread if entry["nextStepAt"]), None),
            "follows": bool(waits) or any(entry["nextStepAt"] for entry in thread),
        }

    def reason_link(self, message: MessageDetailData) -> Link:
        """Return the link that helps with the reason why the message was not sent."""
        decision = message["decision"]
        case = Case(
            run=record_id(message["run"]),
            contact=record_id(message["contact"]),
            smtp=record_id(message["smtp"]),
            draft=message["_id"] if decision and message["status"] == "draft" else "",
            recipient=message["recipient"],
            status=message["status"],
        )
        return link_of(decision.get("reason", "") if decision else message["reason"], case, self)

    def do_approve(self) -> HttpResponse:
        body = {"contentHash": self.request.POST.get("contentHash", ""), "delaySeconds": HOLD_SECONDS}
        return self.change("approve", body)

    def do_draft(self) -> HttpResponse:
        """Make a draft of the message, which also takes back an approval or a cancellation."""
        now = self.ask("GET", f"genie/send-jobs/{self.params['id']}")
        if now.ok and now.data["status"] in GONE:
            return self.fail(TOO_LATE)
        return self.change("draft")

    def do_cancel(self) -> HttpResponse:
        return self.change("cancel")

    def do_stop_follow_ups(self) -> HttpResponse:
        return self.change("stop-follow-ups")

    def change(self, name: str, body: Values | None = None) -> HttpResponse:
        answer = self.ask("POST", f"genie/send-jobs/{self.params['id']}/{name}", None, body)
        if answer.ok and name in UNDONE:
            return self.redirect_with_toast(ACTIONS[name], back={**TIMED, "do": "draft"})
        if answer.ok:
            return self.redirect_with_toast(ACTIONS[name])
        return self.fail(answer.refusal)


class Preview(MessagePage):
    """A message as a mail program shows it: a document of its own, which runs nothing and loads nothing."""

    path = "messages/<str:id>/preview"
    name = "message-preview"
    tab_name = gettext_lazy("Preview of the message")

    def get(self, request: HttpRequest) -> HttpResponse:
        message: MessageDetailData = self.read(f"genie/send-jobs/{self.params['id']}").data
        head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Message</title></head>'
        style = "font:15px/1.6 system-ui,sans-serif;margin:16px;color:#14171f;background:#fff"
        response = HttpResponse(f'{head}<body style="{style}">{message["html"]}</body></html>')
        response["Content-Security-Policy"] = PREVIEW
        response["X-Frame-Options"] = "SAMEORIGIN"
        return response


PAGES = [Messages, Message, Preview]
