"""The pages of chatbots: what they say, whom they answer and when people go on, with a conversation tried beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from core.web.ask import Answer
from core.web.filters import ONE_OF, Choice
from core.web.forms import Field, Form, Option
from core.web.lists import Column
from core.web.mail_frames import quiet_frame
from core.web.pages import MenuItem, Page
from core.web.records import EditRecord, NewRecord, RecordForm, RecordList, Records

CHATBOTS = Records(
    "manual-chatbot",
    "chatbots",
    "chatbot",
    "chatbots",
    "bot",
    "A chatbot says what you have written, a text after each message, until a member goes on.",
)
STATES = {"draft": ("Draft", ""), "published": ("Answers", "ok"), "paused": ("Paused", "warn")}
KINDS = [Option("flow", "Flow: says its texts one after the other"), Option("router", "Router: gets all others first")]
MODES = [Option("any", "one of them comes true"), Option("all", "all of them have come true")]
RULES = {
    "flow_finished": "It has said everything",
    "contains_text": "The person writes these words",
    "message_count": "The person has written so many messages",
    "time_based": "So many minutes have passed",
}
VALUE_OF = {"contains_text": "text", "message_count": "messageCount", "time_based": "minutes"}
"""Type of a rule -> the key of what it waits for."""
ROWS = {"texts": ("text",), "keywords": ("keyword", "weight", "rank"), "rules": ("type", "value", "enabled")}
"""Group of rows -> the fields of a row, of which the first says whether there is one."""
MOST = {"texts": 100, "keywords": 200, "rules": 20}
SPARE = 2
PLACE = re.compile(r"(?:handover\.)?(?P<group>conversations|keywords|rules)\.(?P<place>\d+)\.(?P<key>\w+)(?:\.\w+)*: ")
PLAIN = ("name", "description", "kind", "mode", "label", "allowLeave", "allowEnter", "custom", "maxFileSizeMb")
PARTS = {
    "name": "its name",
    "kind": "its kind",
    "conversations": "what it says",
    "keywords": "its keywords",
    "handover": "when members go on",
    "routing": "who comes and leaves",
    "attachments": "the size of files",
}
"""What is published together -> its words."""


def state_of(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return a chatbot with the words and tone of its status."""
    words, tone = STATES.get(one["status"], (one["status"], ""))
    newer = one["status"] == "published" and one["latestVersion"] > one["publishedVersion"]
    return {**one, "words": words, "mood": tone, "newer": newer}


def why(types: str) -> str:
    """Return why a chatbot hands over, in words."""
    return ", ".join(RULES.get(one, one).lower() for one in types.split(", "))


class ChatbotForm(RecordForm):
    """The form of a chatbot, with a row for each text, keyword and rule, and some more."""

    template = "web/chatbots/form.html"

    def form(self, values: Mapping[str, Any] | None = None) -> Form:
        held = values or {}
        plain = [
            Field("name", "Name", required=True, autofocus=values is None),
            Field("description", "What it is for"),
            Field("kind", "Kind", "select", options=KINDS, required=True, value="flow"),
            *self.rows("texts", held),
            *self.rows("keywords", held),
            Field("mode", "A member goes on when", "select", options=MODES, required=True, value="any"),
            *self.rows("rules", held),
            Field("label", "Label", help="What members see of where people came from."),
            Field("allowEnter", "Others may hand people to it", "switch", value=True),
            Field("allowLeave", "People may leave it for another chatbot", "switch", value=True),
            Field("custom", "A limit of its own for files", "switch"),
            Field("maxFileSizeMb", "Largest file, in MB", "number", value=10, help="From 1 to 100."),
        ]
        return Form(plain, values)

    def rows(self, group: str, held: Mapping[str, Any]) -> list[Field]:
        """Return the fields of the rows that were sent or are held, and of some more."""
        known = [
            int(found[1])
            for name in (*self.request.POST, *held)
            if (found := re.fullmatch(rf"{group}-(\d{{1,3}})-\w+", name))
        ]
        sent = any(name.startswith(f"{group}-") for name in self.request.POST)
        count = min(MOST[group], max(known, default=-1) + 1 + (0 if sent else SPARE))
        return [field for place in range(count) for field in getattr(self, f"{group}_row")(place)]

    def texts_row(self, place: int) -> list[Field]:
        return [Field(f"texts-{place}-text", f"Text {place + 1}", "textarea")]

    def keywords_row(self, place: int) -> list[Field]:
        at, label = f"keywords-{place}", f"Keyword {place + 1}"
        return [
            Field(f"{at}-keyword", label),
            Field(f"{at}-weight", f"{label}: weight", "number", value=1),
            Field(f"{at}-rank", f"{label}: rank", "number", value=0),
        ]

    def rules_row(self, place: int) -> list[Field]:
        options = [Option(key, words) for key, words in RULES.items()]
        at, label = f"rules-{place}", f"Rule {place + 1}"
        return [
            Field(f"{at}-type", label, "select", options=options, placeholder="None"),
            Field(f"{at}-value", f"{label}: words, number or minutes"),
            Field(f"{at}-enabled", f"{label} counts", "switch", value=True),
        ]

    def body(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the API's body. `places` keeps which row of the form each of its rows is."""
        self.places: dict[str, list[int]] = {}
        found = {group: self.filled(group, values) for group in ROWS}
        limits = {"custom": values["custom"], "maxFileSizeMb": values["maxFileSizeMb"]}
        return {
            **{name: values[name] for name in ("name", "description", "kind")},
            "conversations": [{"text": one["text"], "order": order} for order, one in enumerate(found["texts"], 1)],
            "keywords": [{**one, "weight": one["weight"] or 0, "rank": one["rank"] or 0} for one in found["keywords"]],
            "handover": {"mode": values["mode"], "rules": [self.rule(one) for one in found["rules"]]},
            "routing": {name: values[name] for name in ("label", "allowLeave", "allowEnter")},
            "attachments": {name: value for name, value in limits.items() if value not in ("", None)},
        }

    def filled(self, group: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        first, *_ = keys = ROWS[group]
        self.places[group] = [
            place for place in range(MOST[group]) if str(values.get(f"{group}-{place}-{first}") or "").strip()
        ]
        return [{key: values.get(f"{group}-{place}-{key}") for key in keys} for place in self.places[group]]

    def rule(self, row: Mapping[str, Any]) -> dict[str, Any]:
        key, value = VALUE_OF.get(row["type"], ""), row["value"] or ""
        number = int(value) if key != "text" and str(value).isdecimal() and len(str(value)) < 8 else value
        held = {key: number} if key and value else {}
        return {"type": row["type"], "enabled": bool(row["enabled"]), **held}

    def put_at(self, warning: str) -> str:
        """Return a refusal with the names of the form's rows in place of those of the API's."""

        def named(found: re.Match[str]) -> str:
            group = {"conversations": "texts"}.get(found["group"], found["group"])
            known, place = self.places.get(group, []), int(found["place"])
            row = known[place] if place < len(known) else 0
            key = found["key"] if found["key"] in ROWS[group] else "value"
            return f"{group}-{row}-{key}: "

        return PLACE.sub(named, warning)

    def wrong(self, form: Form, answer: Answer) -> HttpResponse:
        form.refuse(answer.message, self.put_at(answer.warning))
        context = self.context() if isinstance(self, EditRecord) else {}
        return self.refused(form, **context)

    def do_more(self) -> HttpResponse:
        """Show the form as it is, with more rows."""
        sent = self.request.POST.copy()
        for group, (first, *_) in ROWS.items():
            known = [int(name.split("-")[1]) for name in sent if re.fullmatch(rf"{group}-\d{{1,3}}-{first}", name)]
            place = max(known, default=-1) + SPARE
            if place < MOST[group]:
                sent[f"{group}-{place}-{first}"] = ""
                for between in range(max(known, default=-1) + 1, place + 1):
                    if group == "rules":
                        sent[f"rules-{between}-enabled"] = "on"
        self.request.POST = sent  # type: ignore[assignment]
        context = self.context() if isinstance(self, EditRecord) else {}
        return self.page({**context, "form": self.form({}).fill(sent)})

    def do_preview(self) -> HttpResponse:
        """Show what the chatbot of the form answers, in the frame beside it."""
        values = self.form({}).fill(self.request.POST).values
        body = {name: value for name, value in self.body(values).items() if name != "name" or value}
        lines = [line.strip() for line in self.request.POST.get("said", "").splitlines() if line.strip()]
        shown: dict[str, Any] = {"steps": [], "problem": ""}
        if lines:
            given = {**body, "messages": [{"text": line} for line in lines], "chatbotId": self.params.get("id")}
            answer = self.ask("POST", "manual-chatbot/test", None, given)
            if answer.ok:
                shown["steps"] = [{**one, "why": why(one["handOver"])} for one in answer.data["steps"]]
            else:
                shown["problem"] = answer.warning or answer.message
        return quiet_frame(render(self.request, "pages/chat_replay.html", shown))

    def page(self, context: Mapping[str, Any], *, template: str = "", status: int = 200) -> HttpResponse:
        form: Form | None = context.get("form")
        by_name = {one.name: one for one in form.fields} if form is not None else {}
        groups = {
            group: [
                [field for name, field in by_name.items() if name.startswith(f"{group}-{place}-")]
                for place in range(len([one for one in by_name if one.startswith(f"{group}-")]) // len(keys))
            ]
            for group, keys in ROWS.items()
        }
        fields = {name: by_name[name] for name in PLAIN if name in by_name}
        shown = {"fields": fields, "groups": groups, "tried": self.request.POST.get("said", "")}
        return super().page({**shown, **context}, template=template, status=status)


class ChatbotPage(Page):
    module = "manual-chatbot"
    menu = MenuItem("Chatbots", "bot", 53, "Outreach")
    kind = CHATBOTS


class Chatbots(RecordList, ChatbotPage):
    path = "chatbots"
    name = "chatbots"
    title = "Chatbots"
    rows = "web/chatbots/rows.html"
    adds = "chatbot-new"
    columns = (
        Column("name", "Name", "name"),
        Column("description", "What it is for"),
        Column("status", "State", "status"),
        Column("updatedAt", "Changed", "updatedAt"),
    )

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        return (Choice("status", "State", ONE_OF, tuple((key, words) for key, (words, _) in STATES.items())),)

    def show(self) -> Mapping[str, Any]:
        found = super().show()
        return {**found, "records": [state_of(one) for one in found["records"]]}


class NewChatbot(NewRecord, ChatbotForm, ChatbotPage):
    path = "chatbots/new"
    name = "chatbot-new"
    title = "New chatbot"

    def do_save(self) -> HttpResponse:
        form = self.form().fill(self.request.POST)
        answer = self.ask("POST", self.kind.path, None, self.body(form.values))
        if not answer.ok:
            return self.wrong(form, answer)
        return self.done(
            "Saved as a draft. Publish it, so that it answers", self.address("chatbot", answer.data["_id"])
        )


class EditChatbot(EditRecord, ChatbotForm, ChatbotPage):
    path = "chatbots/<str:id>"
    name = "chatbot"

    @property
    def place(self) -> str:
        return f"{self.kind.path}/{self.params['id']}"

    def values(self) -> Mapping[str, Any]:
        one = self.record
        found: dict[str, Any] = {name: one[name] for name in ("name", "description", "kind")}
        texts = sorted(one["conversations"], key=lambda text: text.get("order", 0))
        rules = one["handover"].get("rules", ())
        for place, text in enumerate(texts):
            found[f"texts-{place}-text"] = text["text"]
        for place, keyword in enumerate(one["keywords"]):
            found |= {f"keywords-{place}-{key}": keyword.get(key, 0) for key in ROWS["keywords"]}
        for place, rule in enumerate(rules):
            shown = {"type": rule["type"], "value": rule.get(VALUE_OF.get(rule["type"], ""), "")}
            shown["enabled"] = rule.get("enabled", True)
            found |= {f"rules-{place}-{key}": value for key, value in shown.items()}
        routing = {name: one["routing"].get(name, True) for name in ("allowLeave", "allowEnter")}
        limits = {"custom": one["attachments"].get("custom"), "maxFileSizeMb": one["attachments"].get("maxFileSizeMb")}
        return {**found, "mode": one["handover"].get("mode"), "label": one["routing"].get("label"), **routing, **limits}

    def context(self) -> dict[str, Any]:
        known = self.record["publishedSnapshot"]
        differs = [words for name, words in PARTS.items() if known and known.get(name) != self.record[name]]
        return {**super().context(), "bot": state_of(self.record), "differs": differs}

    def consequence(self) -> str:
        return "Members go on with its conversations. This cannot be undone."

    def do_save(self) -> HttpResponse:
        form = self.form(self.values()).fill(self.request.POST)
        answer = self.ask("PUT", self.place, None, self.body(form.values))
        if not answer.ok:
            return self.wrong(form, answer)
        newer = answer.data["latestVersion"] > answer.data["publishedVersion"] > 0
        return self.done("Saved. People get it once it is published" if newer else "Saved")

    def do_publish(self) -> HttpResponse:
        return self._move("publish", "It answers now, as it is written here")

    def do_pause(self) -> HttpResponse:
        return self._move("pause", "Paused; members go on with its conversations")

    def do_restore(self) -> HttpResponse:
        known = self.record["publishedSnapshot"]
        if not known:
            return self.fail("It was never published")
        answer = self.ask("PUT", self.place, None, {name: known[name] for name in PARTS if name in known})
        return self.done("It is written as it was published") if answer.ok else self.refuse(answer)

    def _move(self, move: str, words: str) -> HttpResponse:
        answer = self.ask("POST", f"{self.place}/{move}")
        return self.done(words) if answer.ok else self.refuse(answer)


PAGES = [Chatbots, NewChatbot, EditChatbot]
