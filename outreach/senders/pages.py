"""The pages of senders: who mails come from, when they may go, and what writes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.web.ask import Answer
from core.web.forms import Field, Form, Option
from core.web.pages import MenuItem, Page

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SECRET = "password"  # noqa: S105  the field's name


class SenderPage(Page):
    """What the pages of senders share."""

    module = "apps"
    menu = MenuItem("Senders", "at-sign", 44)

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        """Make the form of a sender, a new one or the one with the values."""
        known = values is not None
        return Form(
            [
                Field("fromName", "From name", required=True, placeholder="Dana of Acme"),
                Field("fromEmail", "From address", "email", required=True, placeholder="dana@example.org"),
                Field("host", "Mail server", required=True, placeholder="smtp.example.org"),
                Field("port", "Port", "number", required=True, value=587),
                Field("username", "User name", required=True),
                Field(
                    SECRET,
                    "Password",
                    "password",
                    required=not known,
                    autocomplete="new-password",
                    help="Stored encrypted. Left empty, it stays; another server or user name needs it again."
                    if known
                    else "",
                ),
                Field("secure", "Encrypted connection only", "switch", value=True),
                Field("name", "Name of this sender", help="Only you and your colleagues see it."),
                Field("perMinute", "Most messages a minute", "number", help="Empty: no limit."),
                Field("perHour", "Most messages an hour", "number"),
                Field("perDay", "Most messages a day", "number"),
                Field(
                    "rampStart",
                    "On a new sender's first day",
                    "number",
                    help="A new sender that writes much at once is taken for spam.",
                ),
                Field("rampStep", "More on each day after", "number"),
                *([Field("isActive", "Switched on", "switch", value=True)] if known else []),
            ],
            values,
        )

    def tested(self, answer: Answer, words: str, to: str) -> HttpResponse:
        """Lead on after a change that tested the connection."""
        found = answer.data
        if found["verified"]:
            return self.done(f"{words}; the connection works", to)
        return self.done(f"{words}, but the connection does not work: {found['lastError']}", to)


class Senders(SenderPage):
    path = name = "senders"
    title = "Senders"
    template = "web/senders/list.html"

    def show(self) -> Mapping[str, Any]:
        senders = self.read("apps/smtp", {"p": "1", "n": "100", "sortBy": "createdAt", "sortOrder": "asc"})
        writers = self.ask("GET", "apps/ai-offline", {"p": "1", "n": "50"})
        hours = self.ask("GET", "genie/settings") if self.may("genie") else None
        return {
            "senders": senders.data,
            "writers": writers.data if writers.ok else [],
            "form": self.hours(hours.data) if hours is not None and hours.ok else None,
            "zone": hours.data["timezone"] if hours is not None and hours.ok else "",
        }

    def hours(self, values: Mapping[str, Any] | None = None) -> Form:
        days = [Option(str(number), name) for number, name in enumerate(DAYS, 1)]
        return Form(
            [
                Field("windowDays", "Days", "checks", options=days, help="None: every day."),
                Field("windowStart", "From", "time"),
                Field("windowEnd", "Until", "time", help="Both empty: the whole day."),
                Field("recipientTimezone", "On the recipient's clock, where it is known", "switch"),
            ],
            values,
        )

    def do_hours(self) -> HttpResponse:
        form = self.hours().fill(self.request.POST)
        sent = form.values
        days = [int(one) for one in sent["windowDays"] if one.isdigit()]
        times = {name: sent[name] or None for name in ("windowStart", "windowEnd")}
        answer = self.ask("PUT", "genie/settings", None, {**sent, **times, "windowDays": days})
        return self.done("Sending hours saved") if answer.ok else self.refuse(answer)

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"apps/smtp/{self.sent_id()}/test")
        if not answer.ok:
            return self.refuse(answer)
        found = answer.data
        if found["ok"]:
            return self.done(
                f"The connection works{', encrypted' if found['encryption'] else ', but is not encrypted'}"
            )
        return self.done(f"The connection does not work: {found['detail']}")


class NewSender(SenderPage):
    path = "senders/new"
    name = "sender-new"
    title = "New sender"
    template = "web/senders/form.html"

    def show(self) -> Mapping[str, Any]:
        return {"form": self.form() if self.may("apps", "POST") else None}

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        answer = self.ask("POST", "apps/smtp", None, values)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.tested(answer, "Sender connected", self.address("senders"))


class Sender(SenderPage):
    path = "senders/<str:id>"
    name = "sender"
    template = "web/senders/form.html"

    def show(self) -> Mapping[str, Any]:
        sender = self.read(f"apps/smtp/{self.params['id']}").data
        form = self.form(sender) if self.may("apps", "PUT") else None
        return {"sender": sender, "form": form, "title": sender["name"] or sender["fromEmail"]}

    def do_save(self) -> HttpResponse:
        before = self.read(f"apps/smtp/{self.params['id']}").data
        form = self.form(before).fill(self.request.POST)
        changed = form.changed(before)
        if not changed:
            return self.done(to=self.address("senders"))
        answer = self.ask("PUT", f"apps/smtp/{self.params['id']}", None, changed)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.tested(answer, "Sender saved", self.address("senders"))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "apps/smtp", None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer)
        kept = answer.data["deactivatedCount"]
        return self.done(
            "Sender switched off; its messages are kept" if kept else "Sender deleted", self.address("senders")
        )


PAGES = [Senders, NewSender, Sender]
