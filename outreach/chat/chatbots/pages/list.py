"""The list of chatbots, and a new one."""

from __future__ import annotations

from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy, ngettext_lazy
from core.types import JsonObject, Values
from core.web.filters import ONE_OF, Choice
from core.web.flows.schemas import enum_options
from core.web.forms import Field, Form
from core.web.lists import Column
from core.web.navigation.places import WEBSITE, MenuItem
from core.web.pages import Page
from core.web.records import NewRecord, RecordList, Records
from outreach.chat.chatbots.pages.types import START, TYPES

CHATBOTS = Records(
    "manual-chatbot", "chatbots", "bot", gettext_lazy("A chatbot replies with your texts until a member takes over.")
)
STATES = {
    "draft": (gettext_lazy("Draft"), ""),
    "published": (gettext_lazy("Live"), "ok"),
    "paused": (gettext_lazy("Paused"), "warn"),
}


def state_of(chatbot: Values) -> JsonObject:
    """Return a chatbot with the label and tone of its status."""
    label, tone = STATES.get(chatbot["status"], (chatbot["status"], ""))
    newer = chatbot["status"] == "published" and chatbot["latestVersion"] > chatbot["publishedVersion"]
    return {**chatbot, "words": label, "mood": tone, "newer": newer}


class ChatbotPage(Page):
    module = "manual-chatbot"
    menu = MenuItem(gettext_lazy("Chatbots"), WEBSITE, 30, "bot", keywords=gettext_lazy("bots flows automatic answers"))
    kind = CHATBOTS


class Chatbots(RecordList, ChatbotPage):
    path = "chatbots"
    name = "chatbots"
    title = gettext_lazy("Chatbots")
    rows = "web/chatbots/rows.html"
    adds = "chatbot-new"
    add_label = gettext_lazy("New chatbot")
    none = gettext_lazy("No chatbots yet")
    count = ngettext_lazy("%(count)s chatbot", "%(count)s chatbots")
    columns = (
        Column("name", gettext_lazy("Name"), "name"),
        Column("description", gettext_lazy("Purpose")),
        Column("status", gettext_lazy("Status"), "status"),
        Column("updatedAt", gettext_lazy("Changed"), "updatedAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("status", gettext("Status"), ONE_OF, tuple((key, label) for key, (label, _) in STATES.items())),)

    def show(self) -> Values:
        context = super().show()
        return {**context, "records": [state_of(record) for record in context["records"]]}


class NewChatbot(NewRecord, ChatbotPage):
    """A name and a kind: the rest is drawn."""

    path = "chatbots/new"
    name = "chatbot-new"
    title = gettext_lazy("New chatbot")
    action = title
    added = gettext_lazy("Chatbot added")
    save_label = gettext_lazy("Continue")

    def form(self, values: Values | None = None) -> Form:
        kinds = TYPES[START]["schema"]["properties"]["kind"]
        return Form(
            fields=[
                Field("name", gettext("Name"), required=True, autofocus=True),
                Field("description", gettext("Purpose")),
                Field("kind", gettext("Kind"), "select", options=enum_options(kinds), required=True, initial="flow"),
            ],
            initial=values,
        )

    def do_save(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", self.kind.path, None, form.values)
        if not answer.ok:
            form.refuse(answer)
            return self.show_refused(form)
        return self.redirect_with_toast("", self.address("chatbot", answer.data["_id"]))
