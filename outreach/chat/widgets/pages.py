"""The pages of chats on websites: the list, and the form with its preview and its snippet for a website."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from core.text.labels.weekdays import DAYS
from core.text.translation import gettext_lazy, ngettext_lazy
from core.text.whole_numbers import whole_number
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option, options_of
from core.web.forms.colors import color_options
from core.web.lists import Column
from core.web.navigation.places import WEBSITE, MenuItem
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

KIND = Records("chat-widget", "widgets", "message-circle", gettext_lazy("Chat with visitors of your website."))
ASKED = {"name": gettext_lazy("Name"), "email": gettext_lazy("Email"), "phone": gettext_lazy("Phone")}
POLICY = "default-src 'none'; script-src 'self'; frame-ancestors 'self'"
FIELDSETS = (
    Fieldset(gettext_lazy("Chat"), ("name", "isActive", "allowedOrigins", "chatbot")),
    Fieldset(gettext_lazy("Appearance"), (("color", "position"), "greeting", "texts")),
    Fieldset(gettext_lazy("Before the chat"), ("asks", "needs")),
    Fieldset(gettext_lazy("Staffed hours"), ("days", ("from", "to"), "timezone", "offlineForm")),
)
CORNERS = (("right", gettext_lazy("Right")), ("left", gettext_lazy("Left")))
SEVERAL = "different"
"""Stands for hours that differ from day to day."""


def _common_time(times: set[str]) -> str:
    """Return the one time of all days, SEVERAL for different ones, or "" without any."""
    if len(times) > 1:
        return SEVERAL
    return next(iter(times), "")


class WidgetPage(Page):
    module = "chat-widget"
    menu = MenuItem(
        gettext_lazy("Website chat"),
        WEBSITE,
        20,
        "message-circle",
        keywords=gettext_lazy("live chat widgets snippet livechat"),
    )
    kind = KIND


class Widgets(RecordList, WidgetPage):
    path = name = "widgets"
    title = gettext_lazy("Website chats")
    rows = "web/widgets/rows.html"
    adds = "widget-new"
    add_label = gettext_lazy("New website chat")
    none = gettext_lazy("No website chats yet")
    count = ngettext_lazy("%(count)s website chat", "%(count)s website chats")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("allowedOrigins", gettext_lazy("Websites")),
        Column("isActive", gettext_lazy("Status")),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )


class WidgetForm(RecordForm):
    """The form of a widget."""

    template = "web/widgets/form.html"

    @cached_property
    def words(self) -> Mapping[str, str]:
        """The default texts of a widget."""
        texts: Mapping[str, str] = self.read_preview({}).data["texts"]
        return texts

    def read_preview(self, body: Values) -> Any:
        return self.ask("POST", "chat-widget/preview", None, body)

    def form(self, values: Values | None = None) -> Form:
        shown = self.shown(values or {})
        questions = [Option(key, label) for key, label in ASKED.items()]
        fields = [
            Field(
                "name",
                gettext("Name"),
                required=True,
                autofocus=values is None,
                help_text=gettext("Internal name. Visitors don't see this."),
            ),
            Field("isActive", gettext("Active"), "switch"),
            Field(
                "allowedOrigins",
                gettext("Websites"),
                "textarea",
                placeholder="https://www.example.com",
                help_text=gettext("Allowed websites, one per line, such as https://www.example.com."),
            ),
            Field(
                "color", gettext("Color"), "select", options=color_options(shown["color"]), placeholder=gettext("None")
            ),
            Field(
                "position",
                gettext("Corner"),
                "select",
                required=True,
                options=options_of(CORNERS),
            ),
            Field("greeting", gettext("Greeting"), "textarea"),
            Field(
                "chatbot",
                gettext("First responder"),
                "select",
                options=self.options_of("manual-chatbot"),
                placeholder=gettext("Members only"),
            ),
            Field("asks", gettext("Ask before the chat"), "checks", options=questions),
            Field("needs", gettext("Required before the chat"), "checks", options=questions),
            Field(
                "days",
                gettext("Staffed days"),
                "checks",
                options=[Option(str(number), day) for number, day in enumerate(DAYS, 1)],
                help_text=gettext("Leave empty to show the chat always."),
            ),
            Field("from", gettext("From"), placeholder="09:00"),
            Field("to", gettext("To"), placeholder="17:00"),
            Field("timezone", gettext("Time zone"), placeholder="Europe/Berlin"),
            Field(
                "offlineForm",
                gettext("Offer a message form outside these hours"),
                "switch",
                help_text=gettext("Asks for an email address and creates a lead."),
            ),
            Field(
                "texts", gettext("Texts"), "textarea", help_text=gettext("Translate the texts on the right of each =.")
            ),
        ]
        return Form(fields=fields, initial=shown, fieldsets=FIELDSETS)

    def shown(self, record: Values) -> JsonObject:
        """Return a record's values by the names of the form."""
        questions = {entry["key"]: entry for entry in record.get("preChat", ())}
        hours = record.get("businessHours") or {}
        spans = hours.get("days") or []
        begins, ends = {entry["from"] for entry in spans}, {entry["to"] for entry in spans}
        texts = {**self.words, **record.get("texts", {})}
        return {
            "name": record.get("name", ""),
            "isActive": record.get("isActive", True),
            "allowedOrigins": "\n".join(record.get("allowedOrigins", ())),
            "color": record.get("color", "#2f5bea"),
            "position": record.get("position", "right"),
            "greeting": record.get("greeting", ""),
            "chatbot": (record.get("chatbot") or {}).get("_id", ""),
            "asks": [key for key in ASKED if key in questions],
            "needs": [key for key in ASKED if key in questions and questions[key]["required"]],
            "days": sorted({str(entry["day"]) for entry in spans}),
            "from": _common_time(begins),
            "to": _common_time(ends),
            "timezone": hours.get("timezone", ""),
            "offlineForm": record.get("offlineForm", True),
            "texts": "\n".join(f"{key} = {text}" for key, text in texts.items()),
        }

    def body(self, values: Values) -> JsonObject:
        before: Values = getattr(self, "record", {})
        own = [question for question in before.get("preChat", ()) if question["key"] not in ASKED]
        keys = [key for key in ASKED if key in {*values["asks"], *values["needs"]}]
        lines = [line.partition("=") for line in values["texts"].splitlines() if line.strip()]
        texts = {key.strip(): text.strip() for key, _, text in lines}
        return {
            **{name: values[name] for name in ("name", "isActive", "position", "greeting", "offlineForm")},
            "allowedOrigins": values["allowedOrigins"].split(),
            "color": values["color"] or "#2f5bea",
            "chatbot": values["chatbot"] or None,
            "preChat": [*({"key": key, "required": key in values["needs"]} for key in keys), *own],
            "businessHours": self._hours(values, before.get("businessHours")),
            "texts": {key: text for key, text in texts.items() if text != self.words.get(key)},
        }

    def _hours(self, values: Values, before: Values | None) -> Values | None:
        if SEVERAL in (values["from"], values["to"]):
            return before  # the days have hours of their own, which the API keeps
        if not values["days"]:
            return None
        days = [
            {"day": day, "from": values["from"], "to": values["to"]}
            for day in map(whole_number, values["days"])
            if day is not None
        ]
        return {"timezone": values["timezone"], "days": days}

    def do_preview(self) -> HttpResponse:
        """Show the visitors' view of the form, in the frame next to it."""
        form = self.form().bind(self.request.POST)
        body = {name: value for name, value in self.body(form.values).items() if name != "name"}
        answer = self.read_preview(body)
        problem = "" if answer.ok else answer.refusal
        context = {"config": json.dumps(answer.data) if answer.ok else "", "problem": problem}
        response = render(self.request, "pages/widget_preview.html", context)
        response.headers["Content-Security-Policy"] = POLICY
        response.headers["X-Frame-Options"] = "SAMEORIGIN"
        return response


class NewWidget(NewRecord, WidgetForm, WidgetPage):
    path = "widgets/new"
    name = "widget-new"
    shows_new = "widget"
    title = gettext_lazy("New website chat")
    action = title
    added = gettext_lazy("Website chat added")


class EditWidget(EditRecord, WidgetForm, WidgetPage):
    path = "widgets/<str:id>"
    name = "widget"
    tab_name = gettext_lazy("Website chat")
    saved = gettext_lazy("Website chat saved")
    deleted = gettext_lazy("Website chat deleted")

    def consequence(self) -> str:
        return gettext("Removed from your website. Conversations are kept. This can't be undone.")

    def do_save(self) -> HttpResponse:
        form = self.bound_form()
        if not form.is_valid():
            return self.show_refused(form, **self.context())
        answer = self.ask("PUT", f"{self.kind.path}/{self.params['id']}", None, self.body(form.values))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form, **self.context())
        return self.redirect_with_toast(self.saved)


PAGES = [Widgets, NewWidget, EditWidget]
