"""The pages of lead sources and enrichment apps: the list of connected apps, and the form of each."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.prefills import edited_record

APP_KINDS = {
    "lead-source": (gettext_lazy("Lead source"), gettext_lazy("Finds new people for outreach.")),
    "enrich": (gettext_lazy("Enrichment"), gettext_lazy("Suggests missing data of your contacts.")),
}
"""Connected app -> its label, and its description."""
PATHS = {
    "lead-source": "name = fullName\nemail = emails.0.address\nphone = phone\ncompany = employer.name",
    "enrich": "name = person.name\nnumber = person.phone",
}
LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
METHODS = [Option("POST", gettext_lazy("POST with JSON")), Option("GET", gettext_lazy("GET with query parameters"))]


class DataAppPage(Page):
    """Shared parts of the pages of data apps."""

    module = "apps"
    menu = MenuItem(
        gettext_lazy("People data"),
        SETTINGS,
        50,
        "database",
        gettext_lazy("Connections"),
        gettext_lazy("enrichment prospecting find people apollo"),
    )


class DataApps(DataAppPage):
    path = "settings/data-apps"
    name = "data-apps"
    title = gettext_lazy("People data")
    purpose = gettext_lazy("Find new people and enrich contacts.")
    template = "web/data_apps/list.html"

    def show(self) -> Values:
        apps = []
        for kind, (name, about) in APP_KINDS.items():
            apps += [
                {**app, "kind": kind, "kind_name": name, "about": about} for app in self.read(f"apps/{kind}", LIST).data
            ]
        return {"apps": apps, "kinds": [(kind, *labels) for kind, labels in APP_KINDS.items()]}

    def sent_kind(self) -> str:
        kind = self.request.POST.get("kind", "")
        return kind if kind in APP_KINDS else "lead-source"

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"apps/{self.sent_kind()}/{self.sent_id()}/test")
        if not answer.ok:
            return self.refuse(answer)
        outcome = answer.data
        if not outcome["ok"]:
            return self.fail(gettext("Test failed: %(detail)s") % {"detail": outcome["detail"]})
        seconds = f"{outcome['milliseconds'] / 1000:.1f}"
        if not outcome["first"]:
            return self.redirect_with_toast(
                gettext("Connected in %(seconds)s seconds, but the fields were not found") % {"seconds": seconds}
            )
        first = ", ".join(list(outcome["first"].values())[:3])
        return self.redirect_with_toast(
            gettext("Test passed: found %(first)s in %(seconds)s seconds") % {"seconds": seconds, "first": first}
        )

    def do_on(self) -> HttpResponse:
        return self._change({"isActive": True}, gettext("Switched on"))

    def do_off(self) -> HttpResponse:
        return self._change({"isActive": False}, gettext("Deactivated"))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"apps/{self.sent_kind()}", None, {"ids": [self.sent_id()]})
        return self.redirect_with_toast(gettext("Removed. Its data is kept.")) if answer.ok else self.refuse(answer)

    def _change(self, values: Values, message: str) -> HttpResponse:
        answer = self.ask("PUT", f"apps/{self.sent_kind()}/{self.sent_id()}", None, values)
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)


FIELDSETS = (
    Fieldset(
        gettext_lazy("Request"), ("name", ("url", "method"), ("headerName", "apiKey"), "timeoutSeconds", "isActive")
    ),
    Fieldset(gettext_lazy("Answer"), ("resultPath", "fieldPaths")),
)


class DataAppForm(DataAppPage):
    """The form of a data app. The address has its kind, and the id of an existing app."""

    path = "settings/data-apps/app"
    name = "data-app"
    title = gettext_lazy("Connect people data")
    template = "web/data_apps/form.html"

    @cached_property
    def kind(self) -> str:
        kind = self.request.GET.get("kind", "")
        return kind if kind in APP_KINDS else "lead-source"

    @cached_property
    def stored_values(self) -> JsonObject | None:
        """The values of the app by the names of the form; None for a new one."""
        app = edited_record(self, f"apps/{self.kind}", self.request.GET.get("id", ""))
        if not app:
            return None
        return {**app, "fieldPaths": "\n".join(f"{name} = {path}" for name, path in app["fieldPaths"].items())}

    def form(self) -> Form:
        exists = self.stored_values is not None
        kept = (
            gettext("The full header value. Stored encrypted. Leave empty to keep it.")
            if exists
            else gettext("The full header value. Stored encrypted.")
        )
        path_label = (
            gettext("Path to the list of people in the response")
            if self.kind == "lead-source"
            else gettext("Path to the person in the response")
        )
        fields = [
            Field("name", gettext("Name"), required=True, help_text=gettext("Shown as the source of the data.")),
            Field("url", gettext("Address"), "url", required=True, placeholder="https://api.example.org/v1/search"),
            Field("method", gettext("Request"), "select", options=METHODS, initial="POST", required=True),
            Field("headerName", gettext("Key header"), placeholder="Authorization"),
            Field("apiKey", gettext("Key"), "password", autocomplete="new-password", help_text=kept),
            Field(
                "resultPath",
                path_label,
                placeholder="data.people",
                help_text=gettext("Separate names with dots. Leave empty for the whole answer."),
            ),
            Field(
                "fieldPaths",
                gettext("Fields"),
                "textarea",
                required=True,
                placeholder=PATHS[self.kind],
                help_text=gettext("One per line: field = path. Use the key for custom fields."),
            ),
            Field(
                "timeoutSeconds",
                gettext("Timeout (seconds)"),
                "number",
                help_text=gettext("From 1 to 30 seconds. Default: 20."),
            ),
            *([Field("isActive", gettext("Active"), "switch")] if exists else []),
        ]
        return Form(fields=fields, initial=self.stored_values, fieldsets=FIELDSETS)

    def show(self) -> Values:
        action = "POST" if self.stored_values is None else "PUT"
        return self.context(self.form() if self.may("apps", action) else None)

    def context(self, form: Form | None) -> JsonObject:
        name, about = APP_KINDS[self.kind]
        title = self.stored_values["name"] if self.stored_values else gettext("Connect: %(name)s") % {"name": name}
        return {"form": form, "title": title, "about": about, "app": self.stored_values}

    def do_save(self) -> HttpResponse:
        form, before = self.form().bind(self.request.POST), self.stored_values
        if not form.is_valid():
            return self.page(self.context(form), status=422)
        values = form.values if before is None else form.changed(before)
        values = {name: value for name, value in values.items() if before is not None or value not in ("", None)}
        wrong = [line for line in values.get("fieldPaths", "").splitlines() if line.strip() and "=" not in line]
        if wrong:
            form.add_error("fieldPaths", f"{wrong[0]!r} has no =.")
            form.ask_again()
            return self.page(self.context(form), status=422)
        if "fieldPaths" in values:
            pairs = [line.partition("=") for line in values["fieldPaths"].splitlines() if line.strip()]
            values["fieldPaths"] = {name.strip(): path.strip() for name, _, path in pairs}
        if before is None:
            answer = self.ask("POST", f"apps/{self.kind}", None, values)
        else:
            answer = self.ask("PUT", f"apps/{self.kind}/{before['_id']}", None, values)
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.context(form), status=422)
        return self.test_and_redirect(answer.data)

    def test_and_redirect(self, app: Values) -> HttpResponse:
        """Test a saved app, and lead on: to the list if it answers, else back to its form."""
        if not app["isActive"]:
            return self.redirect_with_toast(gettext("Saved. The app is off."), self.address("data-apps"))
        answer = self.ask("POST", f"apps/{self.kind}/{app['_id']}/test")
        problem = answer.data["detail"] if answer.ok else answer.message
        if answer.ok and answer.data["ok"]:
            return self.redirect_with_toast(gettext("Saved. The connection works."), self.address("data-apps"))
        text = gettext("Saved, but the test failed: %(detail)s") % {"detail": problem}
        return self.fail(text, self.address("data-app", kind=self.kind, id=app["_id"]))


PAGES = [DataApps, DataAppForm]
