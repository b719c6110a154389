"""The pages of AI apps: the list of connected apps, the form of each, and the built-in writer."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.labels.providers import AI_NAMES
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form
from core.web.prefills import edited_record
from core.web.records import shown_value
from outreach.connections.ai.pages.base import CAP_HELP, AiPage

APP_KINDS = {
    "ai-a": (AI_NAMES["ai-a"], gettext_lazy("Needs a key of Google AI Studio.")),
    "ai-b": (
        AI_NAMES["ai-b"],
        gettext_lazy("OpenAI, or a compatible server such as Ollama or vLLM."),
    ),
    "ai-offline": (
        AI_NAMES["ai-offline"],
        gettext_lazy("Free and private. Writes English, German, French and Spanish."),
    ),
}
"""Connected app -> its name and its description."""
SETTINGS = {
    "ai-a": ("temperature", "topP", "topK", "maxOutputTokens"),
    "ai-b": ("temperature", "topP", "frequencyPenalty", "presencePenalty", "maxOutputTokens"),
}
FIELDSETS = (
    Fieldset(gettext_lazy("Connection"), ("name", "apiKey", "baseUrl", "selectedModel", "isDefault", "isActive")),
    Fieldset(
        gettext_lazy("Costs"),
        (("pricePerMillionIn", "pricePerMillionOut"), ("monthlyTokenCap", "monthlyCostCap")),
        gettext_lazy("Optional."),
        folded=True,
    ),
    Fieldset(
        gettext_lazy("Writing"),
        (
            ("temperature", "topP", "topK"),
            ("frequencyPenalty", "presencePenalty"),
            ("maxOutputTokens", "timeoutSeconds"),
        ),
        gettext_lazy("The defaults suit most companies."),
        folded=True,
    ),
)
LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
PRICE_HELP = gettext_lazy("From the vendor's price list, in your currency. Needed to count costs.")


class AiApps(AiPage):
    path = "settings/ai"
    name = "ai"
    title = "AI"
    purpose = gettext_lazy("The AI writer and its cost limits.")
    template = "web/ai/apps.html"

    def show(self) -> Values:
        apps = []
        for kind, (name, about) in APP_KINDS.items():
            apps += [
                {**app, "kind": kind, "kind_name": name, "about": about} for app in self.read(f"apps/{kind}", LIST).data
            ]
        default = next((app for app in apps if app["isDefault"]), None)
        return {
            "apps": apps,
            "silent": bool(apps) and (default is None or not default["isActive"]),
            "kinds": [(kind, *APP_KINDS[kind]) for kind in SETTINGS],
            "offline": any(app["kind"] == "ai-offline" for app in apps),
        }

    def sent_kind(self) -> str:
        kind = self.request.POST.get("kind", "")
        return kind if kind in APP_KINDS else "ai-offline"

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"apps/{self.sent_kind()}/{self.sent_id()}/test")
        if not answer.ok:
            return self.fail(_("Test failed: %(warning)s") % {"warning": answer.reason})
        outcome = answer.data
        seconds = f"{outcome['milliseconds'] / 1000:.1f}"
        return self.redirect_with_toast(
            _("Test passed: %(model)s wrote “%(subject)s” in %(seconds)s seconds")
            % {"model": outcome["model"], "subject": outcome["subject"], "seconds": seconds}
        )

    def do_default(self) -> HttpResponse:
        return self._change({"isDefault": True}, _("Now the default AI writer"))

    def do_on(self) -> HttpResponse:
        return self._change({"isActive": True}, _("Switched on"))

    def do_off(self) -> HttpResponse:
        return self._change({"isActive": False}, _("Deactivated. Messages for this app wait."))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", f"apps/{self.sent_kind()}", None, {"ids": [self.sent_id()]})
        return self.redirect_with_toast(_("Removed. Its usage stays in the log.")) if answer.ok else self.refuse(answer)

    def _change(self, values: Values, message: str) -> HttpResponse:
        answer = self.ask("PUT", f"apps/{self.sent_kind()}/{self.sent_id()}", None, values)
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)


class BuiltInWriter(AiPage):
    """Makes the built-in writer the default, for the button of a refusal."""

    path = "settings/ai/built-in"
    name = "ai-built-in"
    title = gettext_lazy("Built-in writer")
    template = "web/ai/built_in.html"

    def do_save(self) -> HttpResponse:
        writer = next(iter(self.read("apps/ai-offline", LIST).data), None)
        values = {"isActive": True, "isDefault": True}
        if writer is None:
            answer = self.ask("POST", "apps/ai-offline", None, {"name": "Built-in writer", **values})
        else:
            answer = self.ask("PUT", f"apps/ai-offline/{writer['_id']}", None, values)
        if "HX-Request" in self.request.headers:
            return self.page({"is_on": answer.ok, "refused": "" if answer.ok else answer.refusal})
        if not answer.ok:
            return self.refuse(answer, self.address("ai"))
        return self.redirect_with_toast(_("Built-in writer switched on"), self.address("ai"))


class AiAppForm(AiPage):
    """The form of an app that calls a model. The address has its kind, and the id of an existing app."""

    path = "settings/ai/app"
    name = "ai-app"
    tab_name = gettext_lazy("AI app")
    title = gettext_lazy("Connect an AI app")
    template = "web/ai/form.html"

    @cached_property
    def kind(self) -> str:
        kind = self.request.GET.get("kind", "")
        return kind if kind in SETTINGS else "ai-a"

    @cached_property
    def stored_values(self) -> JsonObject | None:
        """The values of the app by the names of the form; None for a new one."""
        app = edited_record(self, f"apps/{self.kind}", self.request.GET.get("id", ""))
        return {**app, **app["modelSettings"]} if app else None

    def form(self) -> Form:
        exists = self.stored_values is not None
        is_default = bool(self.stored_values and self.stored_values["isDefault"])
        own = self.kind == "ai-b"
        kept = _("Stored encrypted. Leave empty to keep it.") if exists else _("Stored encrypted.")
        fields = [
            Field("name", _("Name"), required=True, initial=APP_KINDS[self.kind][0]),
            Field(
                "apiKey",
                _("Key"),
                "password",
                required=not exists and not own,
                autocomplete="new-password",
                help_text=kept,
            ),
            *([self._address()] if own else []),
            self._model(),
            Field("pricePerMillionIn", _("Price per million input tokens"), "number", help_text=PRICE_HELP),
            Field("pricePerMillionOut", _("Price per million output tokens"), "number"),
            Field("monthlyTokenCap", _("Monthly token limit"), "number", help_text=CAP_HELP),
            Field("monthlyCostCap", _("Monthly cost limit"), "number", help_text=CAP_HELP),
            Field(
                "temperature",
                _("Temperature"),
                "number",
                help_text=_("From 0 (predictable) to 2 (creative). Default: 0.9."),
            ),
            Field("topP", _("Top P"), "number", help_text=_("From 0 to 1. Default: 1.")),
            *([] if own else [Field("topK", _("Top K"), "number", help_text=_("Default: 1."))]),
            *(
                [Field("frequencyPenalty", _("Frequency penalty"), "number", help_text=_("From -2 to 2."))]
                if own
                else []
            ),
            *([Field("presencePenalty", _("Presence penalty"), "number", help_text=_("From -2 to 2."))] if own else []),
            Field(
                "maxOutputTokens",
                _("Maximum reply length (tokens)"),
                "number",
                help_text=_("Default: 2048. An email takes about 450."),
            ),
            Field(
                "timeoutSeconds",
                _("Timeout (seconds)"),
                "number",
                help_text=_("From 5 to 120 seconds. Default: 60."),
            ),
            # The default stops to be it when another one becomes it.
            *([] if is_default else [Field("isDefault", _("Default AI writer"), "switch")]),
            *([Field("isActive", _("Active"), "switch")] if exists else []),
        ]
        return Form(fields=fields, initial=self.stored_values, fieldsets=FIELDSETS)

    def _model(self) -> Field:
        """Make the field of the model, which only the vendors' own servers choose themselves."""
        typed = self.request.POST.get("baseUrl", (self.stored_values or {}).get("baseUrl") or "")
        text = _("Leave empty for a small, fast model.")
        if self.kind == "ai-b":
            text = _("The model's name on the server. Leave empty with OpenAI for a small, fast model.")
        return Field("selectedModel", _("Model"), required=self.kind == "ai-b" and bool(typed.strip()), help_text=text)

    def _address(self) -> Field:
        text = _("Only for your own server. Enter the key again after a change.")
        return Field("baseUrl", _("Server URL"), "url", placeholder="https://llm.example.org/v1", help_text=text)

    def show(self) -> Values:
        form = self.form()
        if self.may("apps", "POST" if self.stored_values is None else "PUT"):
            return self.context(form)
        facts = [(field.label, shown_value(field, self.reader.formats)) for field in form if field.kind != "password"]
        return {**self.context(None), "facts": facts if self.stored_values else []}

    def context(self, form: Form | None) -> JsonObject:
        title = (
            self.stored_values["name"]
            if self.stored_values
            else _("Connect: %(app)s") % {"app": APP_KINDS[self.kind][0]}
        )
        return {"form": form, "title": title, "about": APP_KINDS[self.kind][1], "app": self.stored_values}

    def body(self, values: Values) -> JsonObject:
        """Return the values as the API takes them, without the default, which waits for the test."""
        names = SETTINGS[self.kind]
        settings = {name: value for name, value in values.items() if name in names and value is not None}
        rest = {name: value for name, value in values.items() if name not in (*names, "isDefault")}
        return {**rest, **({"modelSettings": settings} if settings else {})}

    def do_save(self) -> HttpResponse:
        form, before = self.form().bind(self.request.POST), self.stored_values
        if not form.is_valid():
            return self.page(self.context(form), status=422)
        new = {name: value for name, value in form.values.items() if value not in ("", None)}
        values: Values = form.changed(before) if before else new
        method, place = ("PUT", f"apps/{self.kind}/{before['_id']}") if before else ("POST", f"apps/{self.kind}")
        answer = self.ask(method, place, None, self.body(values))
        if not answer.ok:
            form.refuse(answer)
            return self.page(self.context(form), status=422)
        return self.test_and_redirect(answer.data, becomes_default=values.get("isDefault") is True)

    def test_and_redirect(self, app: Values, *, becomes_default: bool) -> HttpResponse:
        """Test a saved app, and lead on: to the list if it works, else back to its form, which shows the error.

        One that fails is off, unless messages wait for it as the default. Only one that works becomes the default.
        """
        place = f"apps/{self.kind}/{app['_id']}"
        answer = self.ask("POST", f"{place}/test") if app["isActive"] else None
        if answer is not None and not answer.ok:
            edit = self.address("ai-app", kind=self.kind, id=app["_id"])
            if app["isDefault"] and self.stored_values:
                return self.fail(_("Saved. The test failed, but the default app stays on."), edit)
            self.ask("PUT", place, None, {"isActive": False})
            return self.fail(_("Saved, but off: the test failed"), edit)
        if becomes_default:
            self.ask("PUT", place, None, {"isDefault": True})
        if answer is None:
            return self.redirect_with_toast(_("Saved. The app is off."), self.address("ai"))
        return self.redirect_with_toast(
            _("Saved. %(model)s works.") % {"model": answer.data["model"]}, self.address("ai")
        )
