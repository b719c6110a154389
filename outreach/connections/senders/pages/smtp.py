"""The pages of senders: the From address, the sending hours and limits, and the connection."""

from __future__ import annotations

import re

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.samples import test_server
from core.text.labels.weekdays import DAYS
from core.text.translation import gettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import REST, Field, Fieldset, Form, Option
from core.web.navigation.places import SENDERS_MENU
from core.web.pages import Page, PageError
from core.web.shortcuts import Shortcut, register_shortcut

VENDOR_APP = re.compile(r"mailvendor-[a-h]", re.ASCII)
CHECKS = {
    "mx": gettext_lazy("Replies (MX)"),
    "spf": gettext_lazy("Servers (SPF)"),
    "dkim": gettext_lazy("Signature (DKIM)"),
    "dmarc": gettext_lazy("Policy (DMARC)"),
    "alignment": gettext_lazy("From address"),
}
LIGHTS = {
    "green": (gettext_lazy("OK"), "ok"),
    "amber": (gettext_lazy("Can be improved"), "warn"),
    "red": (gettext_lazy("Needs fixing"), "bad"),
}
KEY_STATES = {
    "active": (gettext_lazy("Signing"), "ok"),
    "pending": (gettext_lazy("Publish the DNS record"), "warn"),
    "lost": (gettext_lazy("DNS record missing"), "bad"),
}
SECRET = "password"  # noqa: S105  the field's name
LIMITS = Fieldset(
    gettext_lazy("Sending limits"),
    ("maxConnections", ("perMinute", "perHour", "perDay"), ("rampStart", "rampStep")),
    gettext_lazy("Slow down to stay within your provider's limits."),
)
FIELDSETS = (
    Fieldset(gettext_lazy("Sender"), (("fromName", "fromEmail"), ("replyTo", "name"), "isActive")),
    Fieldset(gettext_lazy("Mail server"), (("host", "port"), ("username", SECRET), "secure", REST)),
    LIMITS,
)
HOURS_FIELDSETS = (
    Fieldset(gettext_lazy("Sending hours"), ("windowDays", ("windowStart", "windowEnd"), "recipientTimezone")),
    Fieldset(gettext_lazy("Drafts"), (("approvalDays", "language"),)),
)
TEST_SENDER = "test"
"""User name and password at the test server, which takes all of them."""
TLS_PORT = 465
"""The port on which mail servers use TLS from the first byte."""


def security(sender: Values) -> str:
    """Return the description of the encryption to a sender's mail server."""
    if not sender["secure"]:
        return _("encryption not required")
    return _("TLS required") if sender["port"] == TLS_PORT else _("STARTTLS required")


class SenderPage(Page):
    """Shared parts of the pages of senders."""

    module = "apps"
    menu = SENDERS_MENU

    def vendors(self) -> list[JsonObject]:
        """Return the mail vendors, with the fields of their forms."""
        mail_vendors: list[JsonObject] = self.read("mail-vendors").data["vendors"]
        return mail_vendors

    def limits(self) -> list[Field]:
        """Return the fields of a sender's sending limits."""
        return [
            Field("perMinute", _("Messages per minute"), "number", help_text=_("Leave empty for no limit.")),
            Field("perHour", _("Messages per hour"), "number"),
            Field("perDay", _("Messages per day"), "number"),
            Field(
                "rampStart",
                _("Warm-up: messages on day 1"),
                "number",
                help_text=_("Start slowly: sudden volume from a new sender looks like spam."),
            ),
            Field("rampStep", _("Warm-up: added per day"), "number"),
        ]

    def form(self, values: Values | None = None) -> Form:
        """Make the form of a sender, a new one or the one with the values."""
        exists = values is not None
        return Form(
            fields=[
                Field("fromName", _("From name"), required=True, placeholder=_("Dana of Acme")),
                Field("fromEmail", _("From address"), "email", required=True, placeholder="dana@example.org"),
                Field("host", _("Mail server"), required=True, placeholder="smtp.example.org"),
                Field("port", _("Port"), "number", required=True, initial=587),
                Field("username", _("Username"), required=True),
                Field(
                    SECRET,
                    _("Password"),
                    "password",
                    required=not exists,
                    autocomplete="new-password",
                    help_text=_("Stored encrypted. Leave empty to keep it.") if exists else "",
                ),
                Field(
                    "secure",
                    _("Require encryption (TLS)"),
                    "switch",
                    initial=True,
                    help_text=_("If off, emails and the password may be sent unencrypted."),
                ),
                Field("name", _("Internal name"), help_text=_("Only your team sees this.")),
                Field(
                    "maxConnections",
                    _("Parallel connections"),
                    "number",
                    initial=2,
                    help_text=_("More connections send faster. Many servers allow at most ten."),
                ),
                *self.limits(),
                *([Field("isActive", _("Active"), "switch", initial=True)] if exists else []),
            ],
            initial=values,
            fieldsets=FIELDSETS,
        )

    def redirect_after_test(self, answer: Answer, message: str, to: str) -> HttpResponse:
        """Lead on after a change that tested the connection."""
        sender = answer.data
        if sender["verified"]:
            return self.redirect_with_toast(_("%(message)s; the connection works") % {"message": message}, to)
        return self.fail(
            _("%(message)s, but the connection test failed: %(last_error)s")
            % {"message": message, "last_error": sender["lastError"]},
            to,
        )

    def redirect_after_delete(self, answer: Answer) -> HttpResponse:
        """Lead on after a sender was deleted, or switched off."""
        kept = answer.data["deactivatedCount"]
        message = _("Sender deactivated. Its messages are kept.") if kept else _("Sender deleted")
        return self.redirect_with_toast(message, self.address("senders"))

    def resume(self, path: str) -> HttpResponse:
        answer = self.ask("POST", f"{path}/resume")
        return self.redirect_with_toast(_("Sender resumed")) if answer.ok else self.refuse(answer)


class Senders(SenderPage):
    path = name = "senders"
    purpose = gettext_lazy("Mailboxes that send your email, and sending hours.")
    title = gettext_lazy("Email senders")
    template = "web/senders/list.html"

    def show(self) -> Values:
        senders = self.read("apps/smtp", {"p": "1", "n": "100", "sortBy": "createdAt", "sortOrder": "asc"})
        vendors = self.read("mail-vendors").data
        writers = self.ask("GET", "apps/ai-offline", {"p": "1", "n": "50"})
        hours = self.ask("GET", "genie/settings") if self.may("genie") else None
        return {
            "senders": [
                *({**sender, "app": "smtp", "security": security(sender)} for sender in senders.data),
                *vendors["apps"],
            ],
            "writers": writers.data if writers.ok else [],
            "has_test_server": test_server() is not None,
            "form": self.hours(hours.data) if hours is not None and hours.ok else None,
            "zone": hours.data["timezone"] if hours is not None and hours.ok else "",
        }

    def hours(self, values: Values | None = None) -> Form:
        days = [Option(str(number), name) for number, name in enumerate(DAYS, 1)]
        return Form(
            fields=[
                Field("windowDays", _("Days"), "checks", options=days, help_text=_("Leave empty for every day.")),
                Field("windowStart", _("From"), "time"),
                Field("windowEnd", _("Until"), "time", help_text=_("Leave both empty for the whole day.")),
                Field("recipientTimezone", _("Use the recipient's time zone if known"), "switch"),
                Field(
                    "approvalDays",
                    _("Approvals expire after (days)"),
                    "number",
                    help_text=_("After that, the message becomes a draft again."),
                ),
                Field(
                    "language",
                    _("Language"),
                    help_text=_("For contacts without a language. Leave empty to follow the description."),
                ),
            ],
            initial=values and {**values, "language": values["languageName"]},
            fieldsets=HOURS_FIELDSETS,
        )

    def do_test_sender(self) -> HttpResponse:
        """Connect the service's own test server, which delivers nothing."""
        server = test_server()
        if server is None:
            raise PageError(400, _("This page has no such action"))
        host, port = server
        person = {"fromName": self.reader.name, "fromEmail": self.reader.email}
        account = {"username": TEST_SENDER, SECRET: TEST_SENDER, "secure": False}
        body = {"name": "Test sender", "host": host, "port": port, **account, **person}
        answer = self.ask("POST", "apps/smtp", None, body)
        if not answer.ok:
            return self.refuse(answer, self.next_address)
        return self.redirect_after_test(answer, _("Test sender connected"), self.next_address)

    @property
    def next_address(self) -> str:
        """The page that comes next: home for its first steps, else this one."""
        return self.address("home") if self.request.POST.get("back") == "home" else ""

    def do_hours(self) -> HttpResponse:
        form = self.hours(self.read("genie/settings").data).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        sent = form.values
        days = [day for day in map(whole_number, sent["windowDays"]) if day is not None]
        times = {name: sent[name] or None for name in ("windowStart", "windowEnd")}
        values = {
            name: value for name, value in sent.items() if name in self.request.POST or name == "recipientTimezone"
        }
        if values.get("approvalDays") is None:
            values.pop("approvalDays", None)
        answer = self.ask("PUT", "genie/settings", None, {**values, **times, "windowDays": days})
        return self.redirect_with_toast(_("Settings saved")) if answer.ok else self.refuse(answer)

    def do_test(self) -> HttpResponse:
        app = self.sent_app()
        answer = self.ask("POST", f"apps/{app}/{self.sent_id()}/test")
        if not answer.ok:
            return self.refuse(answer)
        check = answer.data
        if check["ok"] and app != "smtp":
            return self.redirect_with_toast(_("The key works"))
        if check["ok"]:
            encrypted = _("The connection works, encrypted")
            return self.redirect_with_toast(
                encrypted if check["encryption"] else _("The connection works, but is not encrypted")
            )
        return self.fail(_("The connection test failed: %(detail)s") % {"detail": check["detail"]})

    def sent_app(self) -> str:
        app = self.request.POST.get("app", "smtp")
        return app if VENDOR_APP.fullmatch(app) else "smtp"


register_shortcut(
    Shortcut(
        "sender",
        gettext_lazy("Use the test sender"),
        "senders",
        "test_sender",
        "apps",
        "POST",
        is_offered=lambda page: test_server() is not None,
    )
)


class NewSender(SenderPage):
    path = "senders/new"
    name = "sender-new"
    title = gettext_lazy("New sender")
    action = gettext_lazy("Connect a sender")
    template = "web/senders/form.html"

    def show(self) -> Values:
        if not self.may("apps", "POST"):
            return {"form": None}
        return {"form": self.form(), "vendors": [vendor for vendor in self.vendors() if vendor["available"]]}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        answer = self.ask("POST", "apps/smtp", None, values)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_after_test(answer, _("Sender connected"), self.address("senders"))


class Sender(SenderPage):
    path = "senders/<str:id>"
    name = "sender"
    tab_name = gettext_lazy("Email sender")
    record_kind = ("smtp", gettext_lazy("Senders"))
    template = "web/senders/form.html"

    def show(self) -> Values:
        sender = self.read(self.record).data
        form = self.form(sender) if self.may("apps", "PUT") else None
        return {
            "sender": sender,
            "form": form,
            "title": sender["name"] or sender["fromEmail"],
            "domain": self.domain(self.read(f"{self.record}/deliverability").data),
            "guardrail": self.read(f"{self.record}/guardrail").data,
        }

    def do_resume(self) -> HttpResponse:
        return self.resume(self.record)

    @property
    def record(self) -> str:
        return f"apps/smtp/{self.params['id']}"

    def domain(self, report: Values) -> JsonObject:
        """Return the last check of the sender's domain with labels for its lights."""
        key = report["dkim"]
        checks = [
            {
                **check,
                "label": CHECKS[check["name"]],
                "light": LIGHTS[check["light"]],
                "record": None if key and check["name"] == "dkim" else check["record"],
            }
            for check in report["checks"]
        ]
        return {
            **report,
            "light": LIGHTS.get(report["light"]),
            "checks": checks,
            "dkim": key and {**key, "state": KEY_STATES[key["status"]]},
        }

    def do_check(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.record}/deliverability")
        message = f"{answer.data['domain']}: {LIGHTS[answer.data['light']][0]}" if answer.ok else ""
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)

    def do_make_key(self) -> HttpResponse:
        answer = self.ask("POST", f"{self.record}/dkim", None, {})
        return (
            self.redirect_with_toast(_("Key created. Publish the DNS record, then check the domain."))
            if answer.ok
            else self.refuse(answer)
        )

    def do_delete_key(self) -> HttpResponse:
        answer = self.ask("DELETE", f"{self.record}/dkim")
        return (
            self.redirect_with_toast(_("Key deleted. Messages are sent unsigned."))
            if answer.ok
            else self.refuse(answer)
        )

    def do_save(self) -> HttpResponse:
        before = self.read(self.record).data
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        changed = form.changed(before)
        if not changed:
            return self.report_unchanged(self.address("senders"))
        answer = self.ask("PUT", self.record, None, changed)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_after_test(answer, _("Sender saved"), self.address("senders"))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "apps/smtp", None, {"ids": [self.params["id"]]})
        return self.redirect_after_delete(answer) if answer.ok else self.refuse(answer)
