"""The assistant: one's conversations, the open one with its questions and answers, and the box to ask in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import Values
from core.web.forms import Field, Form
from core.web.lists import ListState
from core.web.navigation.places import ASSISTANT, MenuItem
from core.web.pages import Page

SHOWN = 50
MAX_QUESTION = 2000
EXAMPLES = (
    gettext_lazy("How many leads were added last week?"),
    gettext_lazy("Leads by status"),
    gettext_lazy("The 5 biggest open deals"),
    gettext_lazy("Contacts without an email"),
    gettext_lazy("Overdue tasks"),
    gettext_lazy("Meetings next week"),
)
UNDER_WAY = ("queued", "running")


def linked_names(answer: str, evidence: Sequence[Values]) -> list[tuple[str, str]]:
    """Return the parts of an answer as (text, page): the names of records that it was read from lead to them."""
    records = [record for entry in evidence for record in entry.get("records", ())]
    pages = {record["name"]: record["page"] for record in records if record["page"]}
    if not pages:
        return [(answer, "")]
    names = "|".join(re.escape(name) for name in sorted(pages, key=len, reverse=True))
    pieces = re.split(rf"(?<!\w)({names})(?!\w)", answer)
    return [(piece, pages[piece] if place % 2 else "") for place, piece in enumerate(pieces) if piece]


class Assistant(Page):
    path = name = "assistant"
    title = gettext_lazy("Assistant")
    template = "web/crm_chat/assistant.html"
    module = "ai-crm-chat"
    menu = MenuItem(
        gettext_lazy("Assistant"), ASSISTANT, 10, "sparkles", keywords=gettext_lazy("ai chat copilot questions")
    )
    action = gettext_lazy("Ask the assistant")

    @cached_property
    def state(self) -> ListState:
        return ListState(self.request.GET)

    def form(self, question: str = "") -> Form:
        field = Field("question", _("Question"), "textarea", required=True, key="r", initial=question)
        return Form(fields=[field])

    def show(self) -> Values:
        answer = self.read("ai-crm-chat", self.state.query(size=SHOWN))
        return {
            "state": self.state,
            "threads": answer.data,
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
            "examples": EXAMPLES if self.may("ai-crm-chat", "POST") else (),
            "form": self.form(self.request.GET.get("ask", "")[:MAX_QUESTION]),
        }

    def do_ask(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", "ai-crm-chat", None, form.values)
        if not answer.ok:
            return self.invalid(form, answer)
        return self.redirect_with_toast("", self.address("assistant-thread", answer.data["_id"]))


class AssistantThread(Assistant):
    path = "assistant/<str:id>"
    name = "assistant-thread"
    action = ""

    @property
    def address_of_api(self) -> str:
        return f"ai-crm-chat/{self.params['id']}"

    def show(self) -> Values:
        thread = self.read(self.address_of_api).data
        turns = [{**turn, "pieces": linked_names(turn["answer"], turn["evidence"])} for turn in thread["messages"]]
        return {
            **super().show(),
            "thread": thread,
            "title": thread["title"] or _("Conversation"),
            "turns": turns,
            "waits": any(turn["status"] in UNDER_WAY for turn in turns),
            "form": self.form(),
        }

    def do_ask(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", f"{self.address_of_api}/messages", None, form.values)
        return self.redirect_with_toast() if answer.ok else self.invalid(form, answer)

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", "ai-crm-chat", None, {"ids": [self.params["id"]]})
        return (
            self.redirect_with_toast(_("Conversation deleted"), self.address("assistant"))
            if answer.ok
            else self.refuse(answer)
        )


PAGES = [Assistant, AssistantThread]
