"""The settings page for rules that stop senders, and for limits by mail provider and vendor."""

from __future__ import annotations

from functools import cached_property

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import REST, Field, Fieldset, Form
from core.web.forms.fieldsets import in_pairs
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.settings import SettingsForm

PROVIDERS = {
    "google": "Gmail",
    "microsoft": gettext_lazy("Outlook, Hotmail, Live"),
    "yahoo": gettext_lazy("Yahoo, AOL"),
    "apple": "iCloud",
    "gmx": gettext_lazy("GMX, WEB.DE"),
    "other": gettext_lazy("each other domain"),
}
"""Mail provider of the API -> its name."""
PREFIX, VENDOR = "limit-", "vendor-"
PREFIXES = {"providerLimits": PREFIX, "vendorLimits": VENDOR}
"""Settings of the API -> the prefix of their fields in the form."""


FIELDSETS = (
    Fieldset(gettext_lazy("Pause senders"), (("bouncePercent", "complaintPercent"), "guardFrom")),
    Fieldset(gettext_lazy("Emails to one person"), ("personalUnsubscribe",)),
    Fieldset(gettext_lazy("Hourly limits"), (*in_pairs(f"{PREFIX}{key}" for key in PROVIDERS), REST)),
)


class Deliverability(SettingsForm):
    path = "settings/deliverability"
    name = "deliverability"
    title = gettext_lazy("Deliverability")
    menu = MenuItem(
        gettext_lazy("Deliverability"),
        SETTINGS,
        20,
        "shield-check",
        gettext_lazy("Sending"),
        gettext_lazy("domain dns spf dkim dmarc bounces spam limits warm-up reputation"),
        needs="PUT",
    )
    purpose = gettext_lazy("Bounce limits and daily sending limits.")
    module = "genie"
    resource = "genie/settings"

    @cached_property
    def current(self) -> Values:
        settings = self.read(self.resource).data
        providers = {f"{PREFIX}{key}": settings["providerLimits"][key] for key in PROVIDERS}
        return {**settings, **providers, **{f"{VENDOR}{key}": limit for key, limit in settings["vendorLimits"].items()}}

    @cached_property
    def vendors(self) -> dict[str, str]:
        """Return key -> name of the mail vendors that the company has apps of, or a limit for."""
        answer = self.ask("GET", "mail-vendors") if self.may("apps") else None
        if answer is None or not answer.ok:
            return {}
        connected = {row["app"] for row in answer.data["apps"]}
        limits = self.current["vendorLimits"]
        rows = answer.data["vendors"]
        return {row["vendor"]: row["name"] for row in rows if row["app"] in connected or limits[row["vendor"]]}

    def form(self, values: Values | None = None) -> Form:
        fields = [
            Field(
                "bouncePercent",
                _("Bounce limit (%)"),
                "number",
                required=True,
                help_text=_("Percent of the last 200 messages in 7 days. From 1 to 20."),
            ),
            Field(
                "complaintPercent",
                _("Complaint limit (%)"),
                "number",
                required=True,
                help_text=_("Percent of messages in 7 days, at least two. From 0.05 to 1."),
            ),
            Field(
                "guardFrom",
                _("Minimum messages"),
                "number",
                required=True,
                help_text=_("Senders with fewer messages in 7 days continue. From 20 to 1,000."),
            ),
            Field(
                "personalUnsubscribe",
                _("Add an unsubscribe link"),
                "switch",
                help_text=_("Emails that members write to one contact."),
            ),
            *(
                Field(
                    f"{PREFIX}{key}",
                    _("Messages per hour to %(label)s") % {"label": label},
                    "number",
                    help_text=_("For all senders together. Leave empty for no limit.") if key == "google" else "",
                )
                for key, label in PROVIDERS.items()
            ),
            *(
                Field(
                    f"{VENDOR}{key}",
                    _("Messages per hour by %(name)s") % {"name": name},
                    "number",
                    help_text=_("For all your accounts together. Leave empty for no limit."),
                )
                for key, name in self.vendors.items()
            ),
        ]
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    def body(self, values: Values) -> JsonObject:
        payload = {name: value for name, value in values.items() if not name.startswith((PREFIX, VENDOR))}
        for resource, prefix in PREFIXES.items():
            limits = {name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)}
            if limits:
                payload[resource] = {**self.current[resource], **limits}
        return payload

    def field_name(self, path: str) -> str:
        resource, _dot, key = path.partition(".")
        return f"{PREFIXES[resource]}{key}" if resource in PREFIXES else path


PAGES = [Deliverability]
