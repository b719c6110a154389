"""The inbox: conversations of all channels, their messages, and the box for answers."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext

from core.ids import is_id
from core.text.timezones import zone_of
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.filters import Choice
from core.web.forms import Field, Form, Option
from core.web.lists import ListState
from outreach.chat.conversations.pages.base import (
    CHANNELS,
    OPEN,
    RESTS,
    SHOWN,
    STATES,
    VIEWS,
    InboxPage,
    ShownConversation,
    conversation_row,
    message_view,
    rests_until,
)


class Inbox(InboxPage):
    path = name = "inbox"
    title = gettext_lazy("Inbox")
    template = "web/conversations/inbox.html"
    choices = (
        Choice(
            "channel", gettext_lazy("Channel"), ("in",), tuple((key, words) for key, (words, _) in CHANNELS.items())
        ),
        Choice("state", gettext_lazy("Status"), ("in",), tuple((key, words) for key, (words, _) in STATES.items())),
    )

    @cached_property
    def view_name(self) -> str:
        view = self.request.GET.get("only", "")
        return view if view in dict(VIEWS) else ""

    @cached_property
    def state(self) -> ListState:
        views: dict[str, list[tuple[str, str, Any]]] = {
            "mine": [("assignee", "equals", self.actor.member_id), ("state", "in", OPEN)],
            "unassigned": [("assignee", "isEmpty", None), ("state", "in", OPEN[1:])],
            "bot": [("state", "equals", "bot")],
            "unread": [("unread", "greaterThan", 0)],
            "snoozed": [("snoozedUntil", "isNotEmpty", None)],
            "closed": [("state", "equals", "closed")],
        }
        usual: list[tuple[str, str, Any]] = [("state", "in", OPEN), ("snoozedUntil", "isEmpty", None)]
        conditions = [
            {"field": field, "operator": operator, **({} if value is None else {"value": value})}
            for field, operator, value in views.get(self.view_name, usual)
        ]
        choices = {choice.name: choice for choice in self.choices}
        return ListState(self.request.GET, choices, keeps=("only",), fixed=conditions, zone=self.zone_name)

    def show(self) -> Values:
        query = {"sortBy": "lastMessageAt", "sortOrder": "desc", **self.state.query(size=SHOWN)}
        answer = self.read("conversation", query)
        return {
            "state": self.state,
            "choices": self.choices,
            "views": VIEWS,
            "only": self.view_name,
            "chats": [conversation_row(conversation) for conversation in answer.data],
            "more": self.state.more(answer.next_cursor, len(answer.data)) if answer.next_cursor else None,
        }


class ConversationDetail(Inbox):
    path = "inbox/<str:id>"
    name = "conversation"
    record_kind = ("conversation", gettext_lazy("Conversations"))

    @property
    def address_of_api(self) -> str:
        return f"conversation/{self.params['id']}"

    @cached_property
    def canned_answers(self) -> list[Values]:
        """The canned answers, by name."""
        query = {"p": "1", "n": "100", "sortBy": "name", "sortOrder": "asc", "fields": "name,shortcut,text"}
        answer = self.ask("GET", "canned-answer", query)
        return list(answer.data) if answer.ok else []

    def form(self, text: str = "") -> Form:
        return Form(fields=[Field("text", gettext("Reply"), "textarea", required=True, key="r", initial=text)])

    def visitor_form(self) -> Form:
        fields = [
            Field("email", gettext("Email"), "email"),
            Field("phone", gettext("Phone"), "tel", placeholder="+49 30 123456"),
            Field("name", gettext("Name")),
        ]
        return Form(fields=fields)

    def show(self) -> Values:
        chat = conversation_row(self.read(self.address_of_api).data)
        page = {"p": "1", "n": str(SHOWN), "sortBy": "happenedAt", "sortOrder": "desc"}
        messages = self.read(f"{self.address_of_api}/messages", page)
        listed = super().show()
        ids = [row["_id"] for row in listed["chats"]]
        at = ids.index(chat["_id"]) if chat["_id"] in ids else None
        module = "genie" if chat["channel"] == "mail" else "chatapp"
        return {
            **listed,
            "chat": chat,
            "title": chat["who"],
            "module_of_chat": module,
            "bubbles": [message_view(row) for row in reversed(messages.data)],
            "next": next(iter(ids if at is None else ids[at + 1 :]), ""),
            "before": ids[at - 1] if at else "",
            "canned": self.canned_answers if self.may_on_any_channel("POST") else [],
            "rests": RESTS.items(),
            "form": self.form(),
            "visitor": self.visitor_form() if chat["channel"] == "widget" else None,
        }

    def do_identify(self) -> HttpResponse:
        visitor = self.visitor_form().bind(self.request.POST)
        body = {name: value for name, value in visitor.values.items() if value}
        answer = self.ask("POST", f"{self.address_of_api}/contact", None, body)
        if answer.ok:
            return self.redirect_with_toast(gettext("Contact created from the visitor"))
        visitor.refuse(answer)
        return self.page({**self.show(), "visitor": visitor}, status=422)

    def do_confirm(self) -> HttpResponse:
        """Confirm that the contact writes, as the page showed it."""
        return self._move("contact", gettext("Contact confirmed"), {"contact": self.sent_id("contact")})

    def do_answer(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        meant = self.expand_shortcut(str(form.values["text"]))
        if meant:
            return self.page({**self.show(), "form": self.form(meant)})
        body = {name: value for name, value in form.values.items() if value}
        if "file" in self.request.FILES:
            uploaded = self.upload()
            if not uploaded.ok:
                return self.invalid(form, uploaded)
            stored_file = uploaded.data[0] if isinstance(uploaded.data, list) else uploaded.data
            body["file"] = stored_file["_id"]
        answer = self.ask("POST", f"{self.address_of_api}/messages", None, body)
        return self.redirect_with_toast() if answer.ok else self.invalid(form, answer)

    def expand_shortcut(self, text: str) -> str:
        """Return the canned answer whose shortcut the text is."""
        shortcut = text.removeprefix("/").strip().casefold() if text.startswith("/") else ""
        return next(
            (
                canned_answer["text"]
                for canned_answer in self.canned_answers
                if shortcut and canned_answer["shortcut"].casefold() == shortcut
            ),
            "",
        )

    def do_canned(self) -> HttpResponse:
        chosen = self.request.POST.get("canned", "")
        text = next(
            (canned_answer["text"] for canned_answer in self.canned_answers if canned_answer["_id"] == chosen), ""
        )
        written = self.request.POST.get("text", "").strip()
        return self.page({**self.show(), "form": self.form("\n".join(filter(None, (written, text))))})

    def do_note(self) -> HttpResponse:
        form = self.form().bind(self.request.POST)
        answer = self.ask("POST", f"{self.address_of_api}/notes", None, form.values)
        return self.redirect_with_toast() if answer.ok else self.invalid(form, answer)

    def do_takeover(self) -> HttpResponse:
        instead = self.request.POST.get("instead", "")
        return self._move(
            "takeover", gettext("You took over the conversation"), {"insteadOf": instead} if is_id(instead) else {}
        )

    def do_release(self) -> HttpResponse:
        return self._move("release", gettext("Conversation handed back"))

    def do_close(self) -> HttpResponse:
        return self._move("close", gettext("Closed"))

    def do_reopen(self) -> HttpResponse:
        return self._move("reopen", gettext("Reopened"))

    def do_read(self) -> HttpResponse:
        return self._move("read", "", {})

    def do_unread(self) -> HttpResponse:
        return self._move("read", gettext("Marked as unread"), {"isRead": False})

    def do_wake(self) -> HttpResponse:
        return self._move("snooze", gettext("No longer snoozed"), {"until": None})

    def do_snooze(self) -> HttpResponse:
        now = timezone.now().astimezone(zone_of(self.reader.formats.timezone))
        until = rests_until(self.request.POST.get("until", ""), now)
        if until is None:
            return self.fail(gettext("Choose a time"))
        return self._move("snooze", gettext("Snoozed until the chosen time or a reply"), {"until": until.isoformat()})

    def do_contact(self) -> HttpResponse:
        return self._move("contact", gettext("The contact with this number is linked"), {})

    def do_lead(self) -> HttpResponse:
        return self._move("lead", gettext("Lead created"), {})

    def _move(self, move: str, message: str, body: Values | None = None) -> HttpResponse:
        answer = self.ask("POST", f"{self.address_of_api}/{move}", None, body)
        return self.redirect_with_toast(message) if answer.ok else self.refuse(answer)


class ConversationPeople(InboxPage):
    """The contact and lead of a conversation."""

    path = "inbox/<str:id>/people"
    name = "conversation-people"
    tab_name = gettext_lazy("People of the conversation")
    template = "web/conversations/people.html"

    @cached_property
    def chat(self) -> ShownConversation:
        return conversation_row(self.read(f"conversation/{self.params['id']}").data)

    def form(self, values: Values | None = None) -> Form:
        contact = self.chat["contact"]
        query = {"p": "1", "n": "50", "filters": {"contact": contact["_id"]}} if contact else None
        leads = self.ask("GET", "lead", query) if query else None
        options = [
            Option(lead["_id"], f"{(lead['stage'] or {}).get('name') or lead['status']}, {lead['createdAt'][:10]}")
            for lead in (leads.data if leads is not None and leads.ok else ())
        ]
        return Form(
            fields=[
                Field(
                    "assignee", gettext("Assigned to"), "select", options=self.people(), placeholder=gettext("Anyone")
                ),
                Field(
                    "team", gettext("Team"), "select", options=self.options_of("team"), placeholder=gettext("No change")
                ),
                Field("byRule", gettext("If empty, assign by the team's rule"), "switch"),
                Field("lead", gettext("Lead"), "select", options=options, placeholder=gettext("No change")),
            ],
            initial=values,
        )

    def people(self) -> list[Option]:
        """Return the possible assignees, and the present one."""
        answer = self.ask("GET", f"conversation/{self.params['id']}/answerers")
        able = answer.data["members"] if answer.ok else []
        own = self.chat["assignee"]
        able += [own] if own and own["_id"] not in [member["_id"] for member in able] else []
        return [Option(member["_id"], member["name"] or member["email"]) for member in able]

    def values(self) -> JsonObject:
        return {name: (self.chat[name] or {}).get("_id", "") for name in ("assignee", "team", "lead")}

    def show(self) -> Values:
        return {
            "chat": self.chat,
            "title": gettext("Assignment: %(who)s") % {"who": self.chat["who"]},
            "form": self.form(self.values()),
        }

    def do_save(self) -> HttpResponse:
        before = self.values()
        form = self.form(before).bind(self.request.POST)
        if not form.is_valid():
            return self.invalid(form)
        values = dict(form.values)
        lead = values.pop("lead", "")
        api = f"conversation/{self.params['id']}"
        if lead and lead != before["lead"]:
            answer = self.ask("POST", f"{api}/lead", None, {"lead": lead})
            if not answer.ok:
                return self.invalid(form, answer)
        changed = values["byRule"] or any((values[name] or "") != before[name] for name in ("assignee", "team"))
        if changed:
            body = {name: value or None for name, value in values.items()}
            answer = self.ask("POST", f"{api}/assign", None, {**body, "byRule": values["byRule"]})
            if not answer.ok:
                return self.invalid(form, answer)
        return self.redirect_with_toast(gettext("Saved"), self.address("conversation", self.params["id"]))
