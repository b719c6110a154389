"""The pages of chat apps: connect a number, the values to enter at the vendor, and the app's state."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Fieldset, Form
from core.web.lists import Column
from core.web.navigation.places import SETTINGS, MenuItem
from core.web.pages import Page
from core.web.records import RecordList, Records

LIST = {"p": "1", "n": "50", "sortBy": "createdAt", "sortOrder": "asc"}
PATH = "apps/chatapp"
FIELDSETS = (
    Fieldset(
        gettext_lazy("Account"),
        ("name", ("phoneNumberId", "wabaId"), "appId", "accessToken", "appSecret", "isActive"),
        gettext_lazy("Your vendor shows these values."),
    ),
    Fieldset(
        gettext_lazy("Sending limits"), (("perSecond", "perMinute"), ("perHour", "perDay"), ("rampStart", "rampStep"))
    ),
)
QUALITY = {
    "GREEN": (gettext_lazy("Good quality"), "ok"),
    "YELLOW": (gettext_lazy("Fair quality"), "warn"),
    "RED": (gettext_lazy("Poor quality"), "bad"),
}
LIMITS = ("perMinute", "perHour", "perDay", "rampStart", "rampStep")
CHAT_LOG = Records("logs/chatapp", "chat-log", "message-square-text", gettext_lazy("Messages sent by chat."))
STATUS_BADGES = {
    "sent": (gettext_lazy("Sent"), "info"),
    "delivered": (gettext_lazy("Delivered"), "ok"),
    "read": (gettext_lazy("Read"), "ok"),
    "failed": (gettext_lazy("Failed"), "bad"),
    "unknown": (gettext_lazy("Unknown"), "warn"),
    "sending": (gettext_lazy("Sending"), "info"),
}


def health_of(app: Values) -> JsonObject:
    """Return an app with the label and the tone of its state."""
    label, tone = _("Works"), "ok"
    if not app["isActive"]:
        label, tone = _("Off"), ""
    elif app["stoppedAt"]:
        label, tone = _("Stopped"), "bad"
    elif not app["verified"]:
        label, tone = (_("Test failed"), "bad") if app["lastError"] else (_("Not tested"), "warn")
    elif app["pausedUntil"]:
        label, tone = _("Paused"), "warn"
    quality, mood = QUALITY.get(app["qualityRating"], ("", ""))
    called = app["name"] or app["displayNumber"] or app["phoneNumberId"]
    return {**app, "words": label, "tone": tone, "quality": quality, "mood": mood, "called": called}


class ChatAppPage(Page):
    """Shared parts of the pages of chat apps."""

    module = "apps"
    menu = MenuItem(
        gettext_lazy("Chat numbers"),
        SETTINGS,
        20,
        "message-circle",
        gettext_lazy("Connections"),
        gettext_lazy("whatsapp sms phone numbers chat log"),
    )

    def form(self, values: Values | None = None) -> Form:
        exists = values is not None
        token_help = _("Stored encrypted. Leave empty to keep it.") if exists else _("Stored encrypted.")
        secret_help = _("Signs webhooks. Required to receive messages.")
        if exists:
            secret_help = _("Signs webhooks. Leave empty to keep it.")
        fields = [
            Field("name", _("Name"), help_text=_("Leave empty to use the vendor's name.")),
            Field(
                "phoneNumberId",
                _("Phone number ID"),
                required=True,
                help_text=_("The ID shown by the vendor, not the phone number."),
            ),
            Field("wabaId", _("Business account ID"), required=True),
            Field("appId", _("App ID"), help_text=_("Required for images and files in templates.")),
            Field(
                "accessToken",
                _("Access token"),
                "password",
                required=not exists,
                autocomplete="new-password",
                help_text=token_help,
            ),
            Field(
                "appSecret",
                _("App secret"),
                "password",
                autocomplete="new-password",
                help_text=secret_help,
            ),
            Field("perSecond", _("Messages per second"), "number", initial=80),
            Field("perMinute", _("Messages per minute"), "number", help_text=_("Leave empty for no limit.")),
            Field("perHour", _("Messages per hour"), "number"),
            Field("perDay", _("Messages per day"), "number"),
            Field("rampStart", _("Warm-up: messages on day 1"), "number"),
            Field("rampStep", _("Warm-up: added per day"), "number"),
            *([Field("isActive", _("Active"), "switch", initial=True)] if exists else []),
        ]
        return Form(fields=fields, initial=values, fieldsets=FIELDSETS)

    def redirect_after_test(self, app: Values, message: str) -> HttpResponse:
        """Lead on to the app after a change that asked the vendor."""
        to = self.address("chat-app", app["_id"])
        if app["verified"]:
            return self.redirect_with_toast(_("%(message)s; the connection works") % {"message": message}, to)
        return self.fail(
            _("%(message)s, but the test failed: %(last_error)s")
            % {"message": message, "last_error": app["lastError"] or _("not tested")},
            to,
        )


class ChatApps(ChatAppPage):
    path = "settings/chat-apps"
    name = "chat-apps"
    title = gettext_lazy("Chat numbers")
    purpose = gettext_lazy("Phone numbers for chats with contacts.")
    template = "web/chat_apps/list.html"

    def show(self) -> Values:
        return {"apps": [health_of(app) for app in self.read(PATH, LIST).data]}

    def do_test(self) -> HttpResponse:
        return test(self, self.sent_id())


def test(page: ChatAppPage, id: str) -> HttpResponse:
    answer = page.ask("POST", f"{PATH}/{id}/test")
    if not answer.ok:
        return page.refuse(answer)
    if answer.data["ok"]:
        return page.redirect_with_toast(_("Connection works"))
    return page.fail(_("The test failed: %(detail)s") % {"detail": answer.data["detail"]})


class NewChatApp(ChatAppPage):
    path = "settings/chat-apps/new"
    name = "chat-app-new"
    title = gettext_lazy("Connect a number")
    template = "web/chat_apps/form.html"

    def show(self) -> Values:
        return {"form": self.form() if self.may("apps", "POST") else None}

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        values = {name: value for name, value in form.values.items() if value not in ("", None)}
        answer = self.ask("POST", PATH, None, values)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_after_test(answer.data, _("Connected"))


class ChatAppDetail(ChatAppPage):
    path = "settings/chat-apps/<str:id>"
    name = "chat-app"
    tab_name = gettext_lazy("Chat number")
    template = "web/chat_apps/form.html"

    @property
    def record(self) -> str:
        return f"{PATH}/{self.params['id']}"

    def show(self) -> Values:
        app = health_of(self.read(self.record).data)
        may = self.may("apps", "PUT")
        return {"app": app, "title": app["called"], "form": self.form(app) if may else None, "may": may}

    def do_test(self) -> HttpResponse:
        return test(self, self.params["id"])

    def do_save(self) -> HttpResponse:
        before = self.read(self.record).data
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        changed = {name: value for name, value in form.changed(before).items() if value != "" or name in before}
        if not changed:
            return self.report_unchanged(self.address("chat-apps"))
        answer = self.ask("PUT", self.record, None, changed)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_after_test(answer.data, _("Saved"))

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", PATH, None, {"ids": [self.params["id"]]})
        if not answer.ok:
            return self.refuse(answer)
        kept = answer.data["deactivatedCount"]
        message = _("Deactivated. Its messages are kept.") if kept else _("Removed")
        return self.redirect_with_toast(message, self.address("chat-apps"))


class ChatLog(RecordList, ChatAppPage):
    """Messages given to the vendor, with the states that it has reported."""

    path = "settings/chat-log"
    name = "chat-log"
    title = gettext_lazy("Chat log")
    none = gettext_lazy("No messages yet")
    count = ngettext_lazy("%(count)s message", "%(count)s messages")
    module = "logs"
    kind = CHAT_LOG
    rows = "web/chat_apps/log_rows.html"
    hint = gettext_lazy("Number, text")
    columns = (
        Column("recipient", gettext_lazy("To")),
        Column("text", gettext_lazy("Text")),
        Column("status", gettext_lazy("Status")),
        Column("app", gettext_lazy("By")),
        Column("sendingAt", gettext_lazy("When"), "sendingAt"),
    )

    def show(self) -> Values:
        context = super().show()
        shown = []
        for record in context["records"]:
            last = record["deliveryStatus"] if record["status"] in ("sent", "unknown") else ""
            label, tone = STATUS_BADGES.get(last or record["status"], (record["status"], ""))
            shown.append({**record, "words": label, "mood": tone})
        return {**context, "records": shown}


PAGES = [ChatApps, NewChatApp, ChatAppDetail, ChatLog]
