"""The pages of conversations: who writes, and the box to answer in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.web.filters import Choice
from core.web.forms import Field, Form
from core.web.lists import Column, ListState
from core.web.pages import MenuItem, Page

STATES = {
    "bot": ("A chatbot answers", "info"),
    "queued": ("Waits", "warn"),
    "human": ("A member answers", "ok"),
    "closed": ("Closed", ""),
}
"""State -> its words, and the tone of its badge."""
NEAR, SHOWN = 30, 50


def shown(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a conversation with the words and the tone of its state."""
    words, tone = STATES.get(one["state"], (one["state"], ""))
    contact = one["contact"] or {}
    return {**one, "words": words, "mood": tone, "who": contact.get("name") or one["name"] or one["address"]}


class ConversationPage(Page):
    """What the pages of conversations share."""

    module = "chatapp"
    menu = MenuItem("Chats", "messages-square", 52, "Outreach")


class Conversations(ConversationPage):
    path = name = "chats"
    title = "Chats"
    template = "web/conversations/list.html"
    columns = (
        Column("name", "Who", "name"),
        Column("lastText", "What was said last"),
        Column("state", "State", "state"),
        Column("lastMessageAt", "When", "lastMessageAt"),
    )
    choices = (Choice("state", "State", ("in",), tuple((key, words) for key, (words, _) in STATES.items())),)

    def show(self) -> Mapping[str, Any]:
        state = ListState(self.request.GET, {one.name: one for one in self.choices})
        found = self.read("conversation", state.query())
        return {
            "state": state,
            "choices": self.choices,
            "columns": self.columns,
            "chats": [shown(one) for one in found.data],
            "total": found.total,
            "more": state.more(found.next_cursor, len(found.data)) if found.next_cursor else None,
        }


class ConversationDetail(ConversationPage):
    path = "chats/<str:id>"
    name = "chat"
    template = "web/conversations/detail.html"

    @property
    def address_of_api(self) -> str:
        return f"conversation/{self.params['id']}"

    def form(self) -> Form:
        return Form([Field("text", "Answer", "textarea", required=True)])

    def show(self) -> Mapping[str, Any]:
        chat = shown(self.read(self.address_of_api).data)
        page = {"p": "1", "n": str(SHOWN), "sortBy": "happenedAt", "sortOrder": "desc"}
        said = self.read(f"{self.address_of_api}/messages", page)
        others = self.read("conversation", {"p": "1", "n": str(NEAR), "sortBy": "lastMessageAt", "sortOrder": "desc"})
        return {
            "chat": chat,
            "title": chat["who"],
            "messages_of_chat": [*reversed(said.data)],
            "queue": [shown(one) for one in others.data],
            "form": self.form(),
        }

    def do_answer(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        answer = self.ask("POST", f"{self.address_of_api}/messages", None, form.values)
        return self.done("The answer goes at once") if answer.ok else self.invalid(form, answer)

    def do_takeover(self) -> HttpResponse:
        return self._move("takeover", "You answer now", {})

    def do_release(self) -> HttpResponse:
        return self._move("release", "Released")

    def do_close(self) -> HttpResponse:
        return self._move("close", "Closed")

    def do_read(self) -> HttpResponse:
        return self._move("read", "Marked as read")

    def _move(self, move: str, words: str, body: Mapping[str, Any] | None = None) -> HttpResponse:
        answer = self.ask("POST", f"{self.address_of_api}/{move}", None, body)
        return self.done(words) if answer.ok else self.refuse(answer)


PAGES = [Conversations, ConversationDetail]
