"""The pages of webhooks: the list, a new one with its secret, one with its deliveries, and a delivery."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form, Option
from core.web.lists import Column
from core.web.navigation.places import WEBHOOKS_MENU
from core.web.pages import Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records
from core.web.words.event_kinds import kind_options
from crm.webhooks.pages.filters import WebhookFilter, told_filter

WEBHOOKS = Records("webhook", "webhooks", "webhook", gettext_lazy("Webhooks send events to your programs right away."))
LATEST = {"p": "1", "n": "20", "sortBy": "createdAt", "sortOrder": "desc"}
PAYLOADS = [Option("full", gettext_lazy("Record and changes")), Option("thin", gettext_lazy("Record ID only"))]
ORDERINGS = [Option("object", gettext_lazy("In order, per record")), Option("none", gettext_lazy("As they happen"))]
RESENDING = ngettext_lazy("Resending %(count)s event", "Resending %(count)s events")
RESENDING_SOME = ngettext_lazy(
    "Resending %(count)s event. Use the API for the rest.", "Resending %(count)s events. Use the API for the rest."
)
STATUSES = [
    Option("enabled", gettext_lazy("Active")),
    Option("paused", gettext_lazy("Paused (events wait)")),
    Option("disabled", gettext_lazy("Disabled (nothing is sent)")),
]
MISSED = [
    Option("1", gettext_lazy("Last day")),
    Option("3", gettext_lazy("Last 3 days")),
    Option("7", gettext_lazy("Last 7 days")),
    Option("30", gettext_lazy("Last 30 days")),
]
LINES = ("fields",)


class WebhookPage(Page):
    module = "api"
    menu = WEBHOOKS_MENU
    kind = WEBHOOKS


class Webhooks(RecordList, WebhookPage):
    path = "settings/webhooks"
    name = "webhooks"
    title = gettext_lazy("Webhooks")
    purpose = gettext_lazy("Send events to other apps.")
    adds = "webhook-new"
    add_label = gettext_lazy("New webhook")
    none = gettext_lazy("No webhooks yet")
    count = ngettext_lazy("%(count)s webhook", "%(count)s webhooks")
    rows = "web/webhooks/rows.html"
    hint = gettext_lazy("Address, description")
    columns = (
        Column("url", gettext_lazy("Address"), "url"),
        Column("kinds", gettext_lazy("Events")),
        Column("status", gettext_lazy("Status"), "status"),
        Column("lastSuccessAt", gettext_lazy("Last sent"), "lastSuccessAt"),
        Column("createdAt", gettext_lazy("Created"), "createdAt"),
    )


FIELDSETS = (
    Fieldset(gettext_lazy("Webhook"), ("url", "description", "status")),
    Fieldset(gettext_lazy("Events"), ("kinds", "fields")),
    Fieldset(gettext_lazy("Request"), (("payload", "ordering"), "headers")),
)


class WebhookForm(RecordForm, WebhookPage):
    """The fields of a webhook. Its filter has a page of its own."""

    known = False

    def form(self, values: Values | None = None) -> Form:
        lines = {name: "\n".join((values or {}).get(name) or ()) for name in LINES}
        headers_help = gettext("One per line, such as Authorization: Bearer …. Stored encrypted.")
        if self.known:
            headers_help = gettext("Leave empty to keep the headers. Enter them again for a new address.")
        fields = [
            Field("url", gettext("Address"), "url", required=True, placeholder="https://example.org/hooks/leadwright"),
            Field("description", gettext("Description"), help_text=gettext("Optional. Only your team sees this.")),
            Field("kinds", gettext("Events"), "groups", required=True, options=kind_options()),
            Field(
                "fields",
                gettext("Only if these fields changed"),
                "textarea",
                help_text=gettext("Field names, one per line."),
            ),
            Field("payload", gettext("Content"), "radio", options=PAYLOADS, initial="full"),
            Field("ordering", gettext("Order"), "radio", options=ORDERINGS, initial="object"),
            Field("headers", gettext("Headers"), "textarea", help_text=headers_help),
            *([Field("status", gettext("Status"), "radio", options=STATUSES)] if self.known else []),
        ]
        initial = {**values, **lines, "headers": ""} if values is not None else None
        return Form(fields=fields, initial=initial, fieldsets=FIELDSETS)

    def body(self, values: Values) -> JsonObject:
        payload = {name: value for name, value in values.items() if name != "headers"}
        payload |= {name: values[name].split() for name in LINES if name in values}
        if values.get("headers"):
            pairs = (line.partition(":") for line in values["headers"].splitlines() if line.strip())
            payload["headers"] = {name.strip(): value.strip() for name, _, value in pairs}
        return payload

    def show_secret(self, data: Values, title: str) -> HttpResponse:
        """Show the secret in the answer to the form: it is shown nowhere again."""
        return self.page(
            {"secret": data["secret"], "title": title, "id": data["_id"]}, template="web/webhooks/made.html"
        )


class NewWebhook(NewRecord, WebhookForm):
    path = "settings/webhooks/new"
    name = "webhook-new"
    title = gettext_lazy("New webhook")
    action = title
    added = gettext_lazy("Webhook added")
    save_label = gettext_lazy("Create webhook")

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "webhook", None, self.body(form.values))
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.show_secret(answer.data, gettext("Your new webhook"))


class Webhook(EditRecord, WebhookForm):
    path = "settings/webhooks/<str:id>"
    name = "webhook"
    tab_name = gettext_lazy("Webhook")
    saved = gettext_lazy("Webhook saved")
    deleted = gettext_lazy("Webhook deleted")
    template = "web/webhooks/detail.html"
    known = True

    def context(self) -> JsonObject:
        deliveries = self.read(f"webhook/{self.params['id']}/deliveries", LATEST)
        replay = Form(fields=[Field("days", gettext("Resend events of"), "select", options=MISSED, initial="1")])
        return {
            **super().context(),
            "title": self.record["description"] or self.record["url"],
            "deliveries": deliveries.data,
            "total": deliveries.total,
            "replay": replay,
            "only": told_filter(self, self.record),
        }

    def values(self) -> Values:
        return {**self.record, **{name: "\n".join(self.record[name]) for name in LINES}, "headers": ""}

    def form(self, values: Values | None = None) -> Form:
        split = {name: str((values or {}).get(name, "")).split() for name in LINES}
        return super().form({**(values or {}), **split})

    def do_test(self) -> HttpResponse:
        answer = self.ask("POST", f"webhook/{self.params['id']}/test")
        if not answer.ok:
            return self.refuse(answer)
        if not answer.data["ok"]:
            return self.fail(gettext("Test failed: %(detail)s") % {"detail": answer.data["detail"]})
        return self.redirect_with_toast(
            gettext("Test passed: %(status)s after %(milliseconds)s seconds")
            % {"status": answer.data["status"], "milliseconds": f"{answer.data['milliseconds'] / 1000:.1f}"}
        )

    def do_rotate(self) -> HttpResponse:
        answer = self.ask("POST", f"webhook/{self.params['id']}/rotate")
        return self.show_secret(answer.data, gettext("The new secret")) if answer.ok else self.refuse(answer)

    def do_replay(self) -> HttpResponse:
        days = self.request.POST.get("days", "1")
        days_back = days if days in {option.value for option in MISSED} else "1"
        begin = datetime.now(UTC) - timedelta(days=int(days_back))
        answer = self.ask("POST", f"webhook/{self.params['id']}/replay", None, {"from": begin.isoformat()})
        if not answer.ok:
            return self.refuse(answer)
        count = answer.data["replayedCount"]
        if answer.data["nextCursor"]:
            return self.redirect_with_toast(RESENDING_SOME.of(count))
        return self.redirect_with_toast(RESENDING.of(count))


class WebhookDelivery(WebhookPage):
    path = "settings/webhooks/deliveries/<str:id>"
    name = "webhook-delivery"
    title = gettext_lazy("Delivery")
    template = "web/webhooks/delivery.html"

    def show(self) -> Values:
        delivery = self.read(f"webhook/deliveries/{self.params['id']}").data
        written = {"body": indent_json(delivery["body"]), "answer": indent_json(delivery["responseBody"])}
        return {"delivery": delivery, "title": delivery["kind"], **written}

    def do_redeliver(self) -> HttpResponse:
        answer = self.ask("POST", f"webhook/deliveries/{self.params['id']}/redeliver")
        return self.redirect_with_toast(gettext("Sent again")) if answer.ok else self.refuse(answer)


def indent_json(text: str) -> str:
    """Return JSON in lines that people can read; anything else as it is."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


PAGES = [Webhooks, NewWebhook, WebhookDelivery, WebhookFilter, Webhook]
