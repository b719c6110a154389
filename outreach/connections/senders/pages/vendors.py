"""The pages of mail vendors' apps: connect one by its key or by a log-in, change it, log in again."""

from __future__ import annotations

import re

from django.http import Http404, HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import REST, Field, Fieldset, Form, Option
from outreach.connections.senders.pages.smtp import LIMITS, SenderPage

FIELDSETS = (
    Fieldset(gettext_lazy("Sender"), (("fromName", "fromEmail"), ("replyTo", "name"), "isActive")),
    Fieldset(gettext_lazy("Account"), ("apiKey", REST)),
    LIMITS,
)


def connected_text(vendor: Values) -> str:
    return gettext("%(vendor)s connected") % {"vendor": vendor["name"]}


class VendorPage(SenderPage):
    """Shared parts of the pages of mail vendors' apps."""

    template = "web/senders/vendor.html"

    def vendor_form(self, vendor: Values, values: Values | None = None) -> Form:
        """Make the form of an app, with the fields of its vendor alone."""
        exists = values is not None
        if vendor["login"]:
            return Form(
                fields=[*self.login_fields(), *self.limits(), Field("isActive", gettext("Active"), "switch")],
                initial=values,
                fieldsets=FIELDSETS,
            )
        stays = gettext("Stored encrypted. Leave empty to keep it.") if exists else gettext("Stored encrypted.")
        key = Field(
            "apiKey", vendor["keyLabel"], "password", required=not exists, autocomplete="new-password", help_text=stays
        )
        fields = [
            Field("fromName", gettext("From name"), required=True, placeholder=gettext("Dana of Acme")),
            Field("fromEmail", gettext("From address"), "email", required=True, placeholder="dana@example.org"),
            key,
            *(self.own_field(setting, exists) for setting in vendor["fields"]),
            Field("replyTo", gettext("Reply to"), "email", help_text=gettext("Leave empty to use the From address.")),
            Field("name", gettext("Internal name"), help_text=gettext("Only your team sees this.")),
            *self.limits(),
            *([Field("isActive", gettext("Active"), "switch", initial=True)] if exists else []),
        ]
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    def login_fields(self) -> list[Field]:
        """Return the fields of an account whose address comes from its log-in."""
        return [
            Field("fromName", gettext("From name"), required=True, placeholder=gettext("Dana of Acme")),
            Field(
                "replyTo", gettext("Reply to"), "email", help_text=gettext("Leave empty to use the account's address.")
            ),
            Field("name", gettext("Internal name"), help_text=gettext("Only your team sees this.")),
        ]

    def login_form(self, vendor: Values, reads: bool = False) -> Form:
        """Make the form that begins a log-in at the vendor."""
        help_text = gettext("After a lost connection, the delivery is checked with %(name)s.") % {
            "name": vendor["name"]
        }
        return Form(
            fields=[
                Field("mayRead", gettext("Read replies from the mailbox"), "switch", initial=reads, help_text=help_text)
            ]
        )

    def begin(self, vendor: Values, app: str = "") -> Answer:
        """Begin a log-in at the vendor, for a new app or an existing one."""
        body = {"mayRead": "mayRead" in self.request.POST, **({"app": app} if app else {})}
        return self.ask("POST", f"apps/{vendor['app']}/authorize", None, body)

    def own_field(self, setting: Values, exists: bool) -> Field:
        if setting["choices"]:
            options = [Option(choice, choice.upper()) for choice in setting["choices"]]
            return Field(
                setting["name"],
                setting["label"],
                "select",
                options=options,
                placeholder=gettext("Default"),
                help_text=setting["help"],
            )
        secret, needed = setting["secret"], setting["required"] and not (exists and setting["secret"])
        kind = "password" if secret else "text"
        help_text = gettext("Leave empty to keep it.") if secret and exists else setting["help"]
        return Field(setting["name"], setting["label"], kind, needed, help_text=help_text)


class NewVendorApp(VendorPage):
    path = "senders/connect"
    name = "vendor-new"
    tab_name = gettext_lazy("New sender")
    title = gettext_lazy("New sender")
    action = ""

    def vendor(self) -> JsonObject:
        """Return the vendor that the address names, else the first."""
        vendors = {row["app"]: row for row in self.vendors() if row["available"]}
        return vendors.get(self.request.GET.get("app", "")) or next(iter(vendors.values()))

    def show(self) -> Values:
        vendor = self.vendor()
        shared = {"form": None, "vendor": vendor, "title": gettext("Connect %(name)s") % {"name": vendor["name"]}}
        if not self.may("apps", "POST"):
            return shared
        if vendor["login"]:
            return {**shared, "login": self.login_form(vendor)}
        return {**shared, "form": self.vendor_form(vendor)}

    def do_begin(self) -> HttpResponse:
        vendor = self.vendor()
        answer = self.begin(vendor)
        return self.page({**self.show(), "url": answer.data["url"]}) if answer.ok else self.refuse(answer)

    def do_save(self) -> HttpResponse:
        vendor = self.vendor()
        form = self.vendor_form(vendor).bind(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        answer = self.ask("POST", f"apps/{vendor['app']}", None, values)
        if not answer.ok:
            form.refuse(answer)
            title = gettext("Connect %(name)s") % {"name": vendor["name"]}
            return self.page({"form": form, "vendor": vendor, "title": title}, status=422)
        # The next step is at the vendor: its events come to the address that the app has now.
        return self.redirect_after_test(answer, connected_text(vendor), self.address("vendor-app", answer.data["_id"]))


class VendorApp(VendorPage):
    path = "senders/vendor/<str:id>"
    name = "vendor-app"
    tab_name = gettext_lazy("Sender")
    record_kind = ("mail-vendors", gettext_lazy("Email services"))

    def stored_app(self) -> tuple[JsonObject, JsonObject, str]:
        """Return the app, its vendor and its address; the page is not there for any other id."""
        overview = self.read("mail-vendors").data
        app = next((row["app"] for row in overview["apps"] if row["_id"] == self.params["id"]), None)
        vendor = next((row for row in overview["vendors"] if row["app"] == app), None)
        if vendor is None:
            raise Http404
        path = f"apps/{app}/{self.params['id']}"
        return self.read(path).data, vendor, path

    def show(self) -> Values:
        sender, vendor, path = self.stored_app()
        may = self.may("apps", "PUT")
        form = self.vendor_form(vendor, sender) if may else None
        login = self.login_form(vendor, sender["mayRead"]) if may and vendor["login"] and vendor["available"] else None
        return {"login": login, **self.context(sender, vendor, form), "guardrail": self.read(f"{path}/guardrail").data}

    def do_resume(self) -> HttpResponse:
        return self.resume(self.stored_app()[2])

    def do_begin(self) -> HttpResponse:
        _, vendor, _ = self.stored_app()
        answer = self.begin(vendor, self.params["id"])
        return self.page({**self.show(), "url": answer.data["url"]}) if answer.ok else self.refuse(answer)

    def context(self, sender: JsonObject, vendor: JsonObject, form: Form | None) -> JsonObject:
        signs = any(field["name"] == "webhookSigningKey" for field in vendor["fields"])
        return {
            "sender": sender,
            "vendor": vendor,
            "form": form,
            "signs": signs,
            "title": sender["name"] or sender["fromEmail"],
        }

    def do_save(self) -> HttpResponse:
        sender, vendor, path = self.stored_app()
        form = self.vendor_form(vendor, sender).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        changed = {name: value for name, value in form.changed(sender).items() if value != "" or name in sender}
        if not changed:
            return self.report_unchanged(self.address("senders"))
        answer = self.ask("PUT", path, None, changed)
        if not answer.ok:
            form.refuse(answer)
            guardrail = self.read(f"{path}/guardrail").data
            return self.page({**self.context(sender, vendor, form), "guardrail": guardrail}, status=422)
        return self.redirect_after_test(answer, gettext("Sender saved"), self.address("senders"))

    def do_delete(self) -> HttpResponse:
        _, vendor, _ = self.stored_app()
        answer = self.ask("DELETE", f"apps/{vendor['app']}", None, {"ids": [self.params["id"]]})
        return self.redirect_after_delete(answer) if answer.ok else self.refuse(answer)


class VendorReturn(VendorPage):
    """Return page of a log-in at a vendor: the member completes it by a button, so that a link alone has no effect."""

    path = "senders/return"
    name = "vendor-return"
    title = gettext_lazy("Log-in of the sender")
    template = "web/senders/return.html"
    callback_path = re.compile(r"[0-9a-f]{24}\.(?P<letter>[a-h])\.(?P<app>([0-9a-f]{24})?)\.\w+", re.ASCII)

    def show(self) -> Values:
        return self.context(self.request.GET)

    def context(self, sent: Values, form: Form | None = None) -> JsonObject:
        match = self.callback_path.fullmatch(sent.get("state", ""))
        vendor = next((row for row in self.vendors() if match and row["app"] == f"mailvendor-{match['letter']}"), None)
        whole = bool(vendor and vendor["login"] and sent.get("code")) and not sent.get("error")
        app = match["app"] if match else ""
        may = self.may("apps", "PUT" if app else "POST")
        kept = [Field(name, gettext("Account"), "hidden", initial=sent.get(name, "")) for name in ("code", "state")]
        return {
            "vendor": vendor,
            "app": app,
            "refused": bool(sent.get("error")),
            "form": form or (Form(fields=[*kept, *([] if app else self.login_fields())]) if whole and may else None),
        }

    def do_save(self) -> HttpResponse:
        sent = self.request.POST
        context = self.context(sent)
        form: Form | None = context["form"]
        if form is None or context["vendor"] is None:
            return self.page(context, status=422)
        form.bind(sent)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        path = f"apps/{context['vendor']['app']}"
        answer = self.ask("PUT", f"{path}/{context['app']}", None, values) if context["app"] else None
        answer = answer or self.ask("POST", path, None, values)
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.context(sent, form), status=422)
        message = gettext("Sender resumed") if context["app"] else connected_text(context["vendor"])
        return self.redirect_with_toast(message, self.address("vendor-app", answer.data["_id"]))
