"""The pages of settings: the first one, formats and rules, notices."""

from __future__ import annotations

from functools import cached_property

from accounts.settings.serializers import CompanySettingsUpdate
from core.text.formats import list_currencies
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form, Option, options_of
from core.web.forms.from_input import form_from_input
from core.web.navigation.menu import settings_of
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.settings import SettingsForm

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
    "refuse": gettext_lazy("It is refused"),
    "allow": gettext_lazy("It is made"),
}
LINKS = {
    "linkedin": "LinkedIn",
    "facebook": "Facebook",
    "instagram": "Instagram",
    "x": "X",
    "youtube": "YouTube",
    "tiktok": "TikTok",
    "whatsapp": "WhatsApp",
    "telegram": "Telegram",
    "pinterest": "Pinterest",
    "snapchat": "Snapchat",
    "threads": "Threads",
}
NOTICES = {
    "form.submitted": gettext_lazy("Somebody sends a form of yours"),
    "social_app.failing": gettext_lazy("A social app has to be connected again"),
    "import.finished": gettext_lazy("An import of yours is done"),
    "import.failed": gettext_lazy("An import of yours was stopped"),
    "bulk-job.finished": gettext_lazy("A change of many records of yours is done"),
    "member.joined": gettext_lazy("Somebody accepted an invite"),
    "run.planned": gettext_lazy("Messages wait for approval"),
    "run.failed": gettext_lazy("Outreach could not be prepared"),
    "run.finished": gettext_lazy("All messages of an outreach are done"),
    "reply.received": gettext_lazy("Somebody answered one of your messages"),
    "conversation.assigned": gettext_lazy("Somebody assigned a conversation to you"),
    "conversation.woken": gettext_lazy("A snoozed conversation of yours is back"),
    "conversation.overdue": gettext_lazy("A conversation of yours, or of your team, waits for an answer for too long"),
    "sender.failing": gettext_lazy("A sender fails and is paused"),
    "calendar.failing": gettext_lazy("Your calendar has to be connected again"),
    "mailbox.failing": gettext_lazy("The mailbox that replies come to cannot be read"),
    "webhook.failing": gettext_lazy("A webhook does not take what it is sent"),
    "sender.stopped": gettext_lazy("A sender was stopped, since too much of its mail came back or was called spam"),
    "sender.undeliverable": gettext_lazy("The records of a sender's domain are wrong"),
    "subscription.ending": gettext_lazy("The subscription ends, or is to be paid, soon"),
    "subscription.past_due": gettext_lazy("The subscription is past due"),
    "subscription.ended": gettext_lazy("The subscription has ended"),
    "subscription.terms_end": gettext_lazy("The terms of the plan change"),
    "invoice.due": gettext_lazy("An invoice is to be paid"),
    "payment.received": gettext_lazy("A payment has been received"),
    "payment.rejected": gettext_lazy("A bank transfer was rejected"),
    "payment.failed": gettext_lazy("A charge for the subscription has failed"),
    "payment.action_needed": gettext_lazy("A charge for the subscription has to be confirmed"),
    "payment_method.expiring": gettext_lazy("The card that is charged expires soon"),
    "limit.nearly_used": gettext_lazy("A limit of the plan is nearly used up, or all of it is"),
    "staff.visited": gettext_lazy("Our staff looked at your company"),
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
        gettext_lazy("dates times currency duplicates social links language"),
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
            "duplicateLeads": gettext_lazy("Second open lead for the same contact and product"),
            "appName": gettext_lazy("Product name in emails"),
            "appDescription": gettext_lazy("Short description"),
            **LINKS,
        },
        kinds={"currency": "select", "contactUniqueKey": "select"},
        options={
            "dateFormat": options_of(DATES.items()),
            "timeFormat": options_of(TIMES.items()),
            "contactUniqueKey": options_of(UNIQUE.items()),
            "duplicateLeads": options_of(DUPLICATES.items()),
        },
        help_texts={"appName": gettext_lazy("Leave empty to use the company's name.")},
        placeholders=dict.fromkeys(LINKS, "https://"),
    )

    def form(self, values: Values | None = None) -> Form:
        form = super().form(values)
        currencies = [Option(currency.code, f"{currency.code} – {currency.name}") for currency in list_currencies()]
        form.fields["currency"].options = currencies
        return form


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
        listed = [name for name in NOTICES if name in self.current]
        further = [name for name in self.current if name not in NOTICES]
        labels = {name: name.replace(".", " ").replace("_", " ").capitalize() for name in further} | NOTICES
        return Form(fields=[Field(name, labels[name], "switch") for name in (*listed, *further)], initial=values)

    def body(self, values: Values) -> JsonObject:
        return {"notificationSettings": {name: {"email": on} for name, on in values.items()}}


PAGES = [Settings, Formats, Notices]
