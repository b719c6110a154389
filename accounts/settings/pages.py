"""The pages of settings: the first one, formats and rules, notices."""

from __future__ import annotations

from functools import cached_property

from accounts.settings.serializers import CompanySettingsUpdate
from core.text.formats import list_currencies
from core.text.labels.networks import NETWORKS
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option, options_of
from core.web.forms.fieldsets import in_pairs
from core.web.forms.from_input import form_from_input
from core.web.navigation.menu import settings_of
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.settings import SettingsForm
from core.web.words.notice_topics import topic_fieldsets

DATES = {
    "dd/mm/yyyy": "31/12/2026",
    "mm/dd/yyyy": "12/31/2026",
    "yyyy-mm-dd": "2026-12-31",
    "dd.mm.yyyy": "31.12.2026",
    "dd-mm-yyyy": "31-12-2026",
    "d mmm yyyy": "31 Dec 2026",
}
TIMES = {"HH:mm": "17:30", "hh:mm a": "05:30 pm"}
UNIQUE = {
    "email": gettext_lazy("Email address"),
    "number": gettext_lazy("Phone number"),
    "either": gettext_lazy("Nothing (allow duplicates)"),
}
DUPLICATES = {
    "warn": gettext_lazy("Allow with a warning"),
    "refuse": gettext_lazy("Reject"),
    "allow": gettext_lazy("Create"),
}
NOTICES = {
    "form.submitted": gettext_lazy("New form answer"),
    "social_app.failing": gettext_lazy("Social account disconnected"),
    "import.finished": gettext_lazy("Import completed"),
    "import.failed": gettext_lazy("Import stopped"),
    "bulk-job.finished": gettext_lazy("Bulk change completed"),
    "member.joined": gettext_lazy("Invite accepted"),
    "run.planned": gettext_lazy("Messages need approval"),
    "run.failed": gettext_lazy("Outreach could not be prepared"),
    "run.finished": gettext_lazy("Outreach completed"),
    "reply.received": gettext_lazy("New reply"),
    "conversation.assigned": gettext_lazy("Conversation assigned to you"),
    "conversation.woken": gettext_lazy("Snoozed conversation is back"),
    "conversation.overdue": gettext_lazy("Reply overdue"),
    "sender.failing": gettext_lazy("Sender paused after errors"),
    "calendar.failing": gettext_lazy("Calendar disconnected"),
    "comment.mentioned": gettext_lazy("Mentioned in a comment"),
    "quote.accepted": gettext_lazy("Quote accepted"),
    "quote.declined": gettext_lazy("Quote declined"),
    "task.overdue": gettext_lazy("Task overdue"),
    "mailbox.failing": gettext_lazy("Mailbox error"),
    "webhook.failing": gettext_lazy("Webhook failing"),
    "sender.stopped": gettext_lazy("Sender stopped after bounces or complaints"),
    "sender.undeliverable": gettext_lazy("DNS records of a sender are wrong"),
    "subscription.ending": gettext_lazy("Subscription ends or is due soon"),
    "subscription.past_due": gettext_lazy("Subscription past due"),
    "subscription.ended": gettext_lazy("Subscription ended"),
    "subscription.terms_end": gettext_lazy("Plan terms change"),
    "invoice.due": gettext_lazy("Invoice due"),
    "payment.received": gettext_lazy("Payment received"),
    "payment.rejected": gettext_lazy("Bank transfer rejected"),
    "payment.failed": gettext_lazy("Payment failed"),
    "payment.action_needed": gettext_lazy("Payment needs confirmation"),
    "payment_method.expiring": gettext_lazy("Card expires soon"),
    "limit.nearly_used": gettext_lazy("Plan limit reached or nearly reached"),
    "staff.visited": gettext_lazy("Support viewed your company"),
}
"""Notice of the API -> its description. For others their name is used."""


class Settings(Page):
    """The first page of settings: all of them under their headings, as far as the reader may see them."""

    path = name = "settings"
    title = gettext_lazy("Settings")
    template = "web/settings/index.html"
    menu = MenuItem(
        gettext_lazy("All settings"),
        SETTINGS,
        0,
        "settings",
        keywords=gettext_lazy("preferences options configuration"),
    )

    def show(self) -> Values:
        return {"groups": [(heading, links) for heading, links in settings_of(self) if heading]}


FORMATS_FIELDSETS = (
    Fieldset(gettext_lazy("Formats"), (("dateFormat", "timeFormat"), "currency")),
    Fieldset(gettext_lazy("Duplicates"), ("contactUniqueKey", "duplicateLeads")),
    Fieldset(gettext_lazy("Leads"), ("lostReasonRequired",)),
)
PUBLIC_FIELDSETS = (
    Fieldset(gettext_lazy("Emails"), ("appName", "appDescription")),
    Fieldset(gettext_lazy("Social links"), in_pairs(NETWORKS)),
)


class Formats(SettingsForm):
    path = "settings/formats"
    name = "formats"
    title = gettext_lazy("Formats and rules")
    menu = MenuItem(
        gettext_lazy("Formats and rules"),
        SETTINGS,
        30,
        "languages",
        gettext_lazy("Company"),
        gettext_lazy("dates times currency duplicates language"),
    )
    purpose = gettext_lazy("Date, time and currency formats; rules for duplicates.")
    module = "settings"
    resource = "settings"

    form_class = form_from_input(
        CompanySettingsUpdate,
        {
            "dateFormat": gettext_lazy("Date format"),
            "timeFormat": gettext_lazy("Time format"),
            "currency": gettext_lazy("Currency"),
            "contactUniqueKey": gettext_lazy("Prevent duplicate contacts by"),
            "duplicateLeads": gettext_lazy("If a contact already has an open lead for a product"),
            "lostReasonRequired": gettext_lazy("Ask for the reason when a lead is lost"),
        },
        kinds={"currency": "select", "contactUniqueKey": "select"},
        options={
            "dateFormat": options_of(DATES.items()),
            "timeFormat": options_of(TIMES.items()),
            "contactUniqueKey": options_of(UNIQUE.items()),
            "duplicateLeads": options_of(DUPLICATES.items()),
        },
        fieldsets=FORMATS_FIELDSETS,
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        currencies = [Option(currency.code, f"{currency.code} – {currency.name}") for currency in list_currencies()]
        form.fields["currency"].options = currencies
        return form


class PublicDetails(SettingsForm):
    path = "settings/public"
    name = "public-details"
    title = gettext_lazy("Public details")
    menu = MenuItem(
        gettext_lazy("Public details"),
        SETTINGS,
        15,
        "globe",
        gettext_lazy("Company"),
        gettext_lazy("product name description emails social links linkedin facebook"),
    )
    purpose = gettext_lazy("Your name in emails, and social links.")
    module = "settings"
    resource = "settings"

    form_class = form_from_input(
        CompanySettingsUpdate,
        {
            "appName": gettext_lazy("Product name in emails"),
            "appDescription": gettext_lazy("Short description"),
            **NETWORKS,
        },
        help_texts={"appName": gettext_lazy("Leave empty to use the company's name.")},
        placeholders=dict.fromkeys(NETWORKS, "https://"),
        fieldsets=PUBLIC_FIELDSETS,
    )


class Notices(SettingsForm):
    path = "settings/notices"
    name = "notices"
    title = gettext_lazy("Email notices")
    menu = MenuItem(
        gettext_lazy("Email notices"),
        SETTINGS,
        40,
        "bell-ring",
        gettext_lazy("Company"),
        gettext_lazy("notifications alerts mails"),
    )
    purpose = gettext_lazy("Emails that members get when something happens.")
    module = "settings"
    resource = "settings"

    @cached_property
    def current(self) -> Values:
        notices = self.read("settings").data["notificationSettings"]
        return {name: channels["email"] for name, channels in notices.items()}

    def form(self, values: Values | None = None) -> Form:
        listed_names = [name for name in NOTICES if name in self.current]
        further = [name for name in self.current if name not in NOTICES]
        labels = {name: name.replace(".", " ").replace("_", " ").capitalize() for name in further} | NOTICES
        names = [*listed_names, *further]
        fields = [Field(name, labels[name], "switch") for name in names]
        return Form(fields=fields, initial=values, fieldsets=topic_fieldsets(names))

    def body(self, values: Values) -> JsonObject:
        return {"notificationSettings": {name: {"email": on} for name, on in values.items()}}


PAGES = [Settings, Formats, PublicDetails, Notices]
