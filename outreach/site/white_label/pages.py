"""The settings page of a company's own brand, with a live preview."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.forms import Field, Fieldset, Form, Option
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm

PICTURES = ("logo", "favicon")
HOSTS = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc", "fields": "name,status"}
FROM = 7
"""Characters of a colour."""


FIELDSETS = (
    Fieldset(gettext_lazy("Brand"), ("productName", ("accent", "accentDark"))),
    Fieldset(gettext_lazy("Emails and links"), ("senderName", "domain")),
)


class OwnBrand(SettingsForm):
    path = "settings/brand"
    name = "brand"
    title = gettext_lazy("Branding")
    menu = MenuItem(
        gettext_lazy("Branding"),
        SETTINGS,
        20,
        "palette",
        gettext_lazy("Company"),
        gettext_lazy("own brand logo colours colors white label domain"),
    )
    purpose = gettext_lazy("Your name, colors and logo on pages, forms and emails.")
    module = "white-label-options"
    resource = "white-label-options"
    template = "web/white_label/settings.html"

    def form(self, values: Values | None = None) -> Form:
        fields = [
            Field(
                "productName",
                _("Name"),
                placeholder=_("Your company's name"),
                help_text=_("At most 60 characters."),
            ),
            Field(
                "accent",
                _("Color"),
                placeholder="#2f5bea",
                help_text=_("For links and buttons. Choose a color dark enough to read."),
            ),
            Field(
                "accentDark",
                _("Color in dark mode"),
                placeholder=_("Derived from the color"),
                help_text=_("For dark mode. Choose a color light enough to read."),
            ),
            Field(
                "senderName", _("Email sender name"), help_text=_("Sender name of emails to your team and visitors.")
            ),
            Field(
                "domain",
                _("Domain of your pages"),
                "select",
                options=self.hosts(),
                placeholder=_("Address of this service"),
                help_text=_("Add domains under Open and click tracking."),
            ),
        ]
        shown = dict(values or {})
        shown["domain"] = (shown.get("domain") or {}).get("_id", "")
        return Form(fields=fields, initial=shown, fieldsets=FIELDSETS)

    def hosts(self) -> list[Option]:
        answer = self.ask("GET", "domain-tracking", HOSTS) if self.may("domain-tracking") else None
        options = (
            [Option(option["_id"], option["name"]) for option in answer.data]
            if answer is not None and answer.ok
            else []
        )
        chosen = self.current.get("domain")
        if chosen and chosen["_id"] not in {option.value for option in options}:
            options.append(Option(chosen["_id"], chosen["name"]))
        return options

    def page(self, context: Values, *, template: str = "", status: int = 200) -> HttpResponse:
        shown = {} if template else {"brand": self.current}  # another template says that they may not see it
        return super().page({**shown, **context}, template=template, status=status)

    def body(self, values: Values) -> JsonObject:
        return {**values, **({"domain": values["domain"] or None} if "domain" in values else {})}

    def do_save(self) -> HttpResponse:
        form = self.form(self.current).bind(self.request.POST)
        if not form.is_valid():
            return self.page({"form": form}, status=422)
        changed = form.changed({**self.current, "domain": (self.current["domain"] or {}).get("_id", "")})
        answer = self.ask("PUT", self.resource, None, self.body(changed))
        if not answer.ok:
            form.refuse(answer)
            return self.page({"form": form}, status=422)
        return self.redirect_with_toast(_("Saved"))

    def do_upload(self) -> HttpResponse:
        """Upload a picture and set it as the logo or the favicon."""
        kind = self.request.POST.get("kind", "")
        if kind not in PICTURES or not self.request.FILES.getlist("file"):
            return self.fail(_("Choose a picture"))
        answer = self.upload()
        if answer.ok:
            record = answer.data[0] if isinstance(answer.data, list) else answer.data
            answer = self.ask("PUT", self.resource, None, {f"{kind}File": record["_id"]})
        return self.redirect_with_toast(_("Saved")) if answer.ok else self.fail(self.reason(answer, self.form()))

    def do_remove(self) -> HttpResponse:
        kind = self.request.POST.get("kind", "")
        if kind not in PICTURES:
            return self.fail(_("Choose what to remove"))
        answer = self.ask("PUT", self.resource, None, {f"{kind}File": None})
        return self.redirect_with_toast(_("Removed")) if answer.ok else self.fail(self.reason(answer, self.form()))

    def reason(self, answer: Answer, form: Form) -> str:
        """Return why it was refused, with fields by their labels; the form is only read for these."""
        form.refuse(answer)
        texts = [*form.non_field_errors(), *(f"{field.label}: {field.error}" for field in form.refused_fields)]
        return " ".join(map(str, texts)) or answer.message

    def do_preview(self) -> HttpResponse:
        """Show the look of pages and mails, in the frame next to the form."""
        form = self.form(self.current).bind(self.request.POST)
        colors = {name: str(form.values[name] or "")[:FROM] for name in ("accent", "accentDark")}
        answer = self.ask("POST", f"{self.resource}/preview", None, colors)
        context = {
            "brand": self.current,
            "name": form.values["productName"] or self.reader.company,
            "sender": form.values["senderName"] or form.values["productName"] or self.reader.company,
            "problem": "" if answer.ok else self.reason(answer, form),
            "light": colors["accent"] if answer.ok else "",
            "dark": answer.data["accentDarkShown"] if answer.ok else "",
            "found": answer.data if answer.ok else {},
        }
        response = render(self.request, "pages/brand_preview.html", context)
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; frame-ancestors 'self'"
        )
        response.headers["X-Frame-Options"] = "SAMEORIGIN"
        return response


PAGES = [OwnBrand]
