"""The pages of messenger apps, and of accounts of the second social platform."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.prefills import edited_record

LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
APP_KINDS = {"messenger": gettext_lazy("Messenger bot"), "social-b": gettext_lazy("Social account")}
"""Key of the app -> its words."""
CONNECT = {"messenger": gettext_lazy("Connect a messenger bot"), "social-b": gettext_lazy("Connect a social account")}
"""Key of the app -> label of the link to its form."""
STORED_HINT = gettext_lazy("Stored encrypted. Leave empty to keep it.")


class DirectSettings(Page):
    """Shared parts of the pages."""

    module = "apps"
    menu = MenuItem(
        gettext_lazy("Messengers"),
        SETTINGS,
        25,
        "send",
        gettext_lazy("Connections"),
        gettext_lazy("telegram bots direct messages comments"),
    )


class DirectApps(DirectSettings):
    path = "settings/messengers"
    name = "direct-apps"
    title = gettext_lazy("Messengers")
    purpose = gettext_lazy("Get messages and comments in the inbox.")
    template = "web/direct_apps/list.html"

    def show(self) -> Values:
        apps = [
            {**app, "kind": key, "by": label}
            for key, label in APP_KINDS.items()
            for app in self.read(f"apps/{key}", LIST).data
        ]
        return {"apps": apps, "kinds": CONNECT.items()}

    @property
    def sent_kind(self) -> str:
        kind = self.request.POST.get("kind", "")
        return kind if kind in APP_KINDS else "messenger"

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"apps/{self.sent_kind}/{self.sent_id()}/test")
        if not answer.ok:
            return self.refuse(answer)
        return (
            self.redirect_with_toast(_("Test passed"))
            if answer.data["ok"]
            else self.fail(_("Test failed: %(detail)s") % {"detail": answer.data["detail"]})
        )

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"apps/{self.sent_kind}", None, {"ids": [self.sent_id()]})
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(
            _("Deactivated. Its conversations are kept.") if answer.data["deactivatedCount"] else _("Removed")
        )


class DirectApp(DirectSettings):
    """The form of an app. The address has its kind, and the id of an existing app."""

    path = "settings/messengers/app"
    name = "direct-app"
    tab_name = gettext_lazy("Messenger")
    title = gettext_lazy("Connect")
    template = "web/direct_apps/form.html"

    @cached_property
    def kind(self) -> str:
        kind = self.request.GET.get("kind", "")
        return kind if kind in APP_KINDS else "messenger"

    @cached_property
    def stored_values(self) -> Values | None:
        app: Values | None = edited_record(self, f"apps/{self.kind}", self.request.GET.get("id", ""))
        return app

    def form(self) -> Form:
        kept, new = (STORED_HINT, False) if self.stored_values else ("", True)
        if self.kind == "messenger":
            hint = kept or _("Shown by the messenger when you create a bot.")
            place = [Field("botToken", _("Bot token"), "password", new, help_text=hint, autocomplete="new-password")]
        else:
            secret = (
                _("Signs webhooks. Leave empty to keep it.")
                if kept
                else _("Signs webhooks. Required to receive messages.")
            )
            place = [
                Field("accountId", _("Account ID"), required=True),
                Field("accessToken", _("Access token"), "password", new, help_text=kept, autocomplete="new-password"),
                Field("appSecret", _("App secret"), "password", False, help_text=secret, autocomplete="new-password"),
                Field("tokenExpiresAt", _("Token expires on"), "date", help_text=_("Leave empty if you don't know.")),
            ]
        switch = [Field("isActive", _("Active"), "switch")] if self.stored_values else []
        values = {**(self.stored_values or {})}
        values["tokenExpiresAt"] = str(values.get("tokenExpiresAt") or "")[:10]
        return Form(fields=[Field("name", _("Name")), *place, *switch], initial=values)

    def show(self) -> Values:
        may = self.may("apps", "POST" if self.stored_values is None else "PUT")
        title = self.stored_values["name"] or APP_KINDS[self.kind] if self.stored_values else CONNECT[self.kind]
        return {"form": self.form() if may else None, "app": self.stored_values, "kind": self.kind, "title": title}

    def do_save(self) -> HttpResponse:
        form, before = self.form().bind(self.request.POST), self.stored_values
        if not form.is_valid():
            return self.invalid(form)
        values = {name: value for name, value in form.values.items() if value != ""}
        if values.get("tokenExpiresAt"):
            values["tokenExpiresAt"] = f"{values['tokenExpiresAt']}T00:00:00Z"
        if before is not None and form.values["tokenExpiresAt"] == str(before.get("tokenExpiresAt") or "")[:10]:
            values.pop("tokenExpiresAt", None)  # untouched; a new token has an end of its own
        if before is None:
            answer = self.ask("POST", f"apps/{self.kind}", None, values)
        else:
            values = {name: value for name, value in values.items() if value != before.get(name)}
            answer = self.ask("PUT", f"apps/{self.kind}/{before['_id']}", None, values)
        if not answer.ok:
            form.refuse(answer)
            return self.page({**self.show(), "form": form}, status=422)
        to = self.address("direct-app", kind=self.kind, id=answer.data["_id"])
        if not answer.data["verified"]:
            return self.fail(
                _("Saved, but the test failed: %(last_error)s")
                % {"last_error": answer.data["lastError"] or _("not tested")},
                to,
            )
        return self.redirect_with_toast(_("Saved. The connection works."), to)


PAGES = [DirectApps, DirectApp]
