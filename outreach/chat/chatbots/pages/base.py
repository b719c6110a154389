"""Shared parts of the pages of one chatbot: its head, its steps, and the saving of changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.flows.graph import NotPossible
from core.web.flows.pages import KEYS, Entry, FlowPage, view_query
from core.web.pages import PageError
from outreach.chat.chatbots.pages.graph import BotGraph, body_of, read_steps
from outreach.chat.chatbots.pages.list import ChatbotPage, state_of
from outreach.chat.chatbots.pages.types import END, GROUPS, KEYWORDS, RULES, START, TEXT, TYPES, summarize_step

MAX_TRIES = 3
WORDS = {
    "name": gettext_lazy("name"),
    "kind": gettext_lazy("kind"),
    "conversations": gettext_lazy("texts"),
    "keywords": gettext_lazy("keywords"),
    "handover": gettext_lazy("handover rules"),
    "routing": gettext_lazy("entry and exit"),
    "attachments": gettext_lazy("file size"),
}
"""Field that is published with others -> its label."""
KEYS_OF_ORDER = {
    "C": gettext_lazy("put a text after it: choose the text, then Enter"),
    "Delete": gettext_lazy("delete the step"),
    "Shift + arrows": gettext_lazy("move a text up or down"),
}
Change = Callable[[BotGraph], Sequence[Values]]


class OneChatbot(ChatbotPage, FlowPage):
    """A page of one chatbot, with actions on the chatbot as a whole."""

    head_template = "web/chatbots/head.html"
    keys = tuple((key, KEYS_OF_ORDER.get(key, words)) for key, words in KEYS if key != "T")

    @property
    def place(self) -> str:
        return f"{self.kind.path}/{self.params['id']}"

    @cached_property
    def bot(self) -> Values:
        record: Values = self.read(self.place).data
        return record

    @property
    def drawn_record(self) -> Values:
        return self.bot

    @property
    def graph(self) -> BotGraph:
        return BotGraph(self.bot)

    @property
    def differs(self) -> list[str]:
        """Return the labels of unpublished changes."""
        snapshot = self.bot["publishedSnapshot"]
        return [label for name, label in WORDS.items() if snapshot and snapshot.get(name) != self.bot[name]]

    @property
    def may_publish(self) -> bool:
        return self.bot["status"] != "published" or bool(self.differs)

    @property
    def home(self) -> str:
        return self.address("chatbot", self.params["id"], **view_query(self.request))

    @property
    def try_address(self) -> str:
        """The address of its conversations to try; none for staff on a visit, who send nothing."""
        return "" if self.reader.visit else self.address("chatbot-test", self.params["id"])

    def head(self) -> JsonObject:
        return {
            "bot": state_of(self.bot),
            "title": self.bot["name"],
            "differs": self.differs,
            "may_publish": self.may_publish,
            "home": self.home,
        }

    # What is drawn

    def problems(self, graph: BotGraph) -> list[JsonObject]:
        rows = []
        for problem in self.bot["problems"]:
            id = graph.node_of(problem["path"])
            label = graph.label(graph.need(id))
            rows.append({**problem, "nodeId": id, "label": label, "link": self.step_address(id)})
        return rows

    def about(self, graph: BotGraph, node: Values) -> str:
        waits = any(rule["data"].get("disabled") is not True for rule in graph.of_type(*RULES))
        return summarize_step(node) if waits or node["type"] != END else _("At the end of its texts")

    def groups(self) -> list[tuple[str, list[Values]]]:
        by_group: dict[str, list[Values]] = {name: [] for name in GROUPS}
        for node_type in TYPES.values():
            if node_type["type"] != START and node_type["type"] not in BotGraph.fixed:
                first = self.address("chatbot-step", self.params["id"], add=node_type["type"])
                by_group[node_type["group"]].append(
                    {**node_type, "ways": node_type["handles"], "seed": "{}", "first": first}
                )
        return [(GROUPS[name], ones) for name, ones in by_group.items()]

    def step_address(self, id: str) -> str:
        return self.address("chatbot-step", self.params["id"], node=id, **view_query(self.request))

    def add_address(self, id: str, handle: str) -> str:
        return self.address("chatbot-add", self.params["id"], at=f"{id}/{handle}", **view_query(self.request))

    def new_step_address(self, type: str, at: str) -> str:
        """Return the address of the form of a step that is not saved yet."""
        return self.address("chatbot-step", self.params["id"], add=type, at=at, **view_query(self.request))

    def menu_of(self, graph: BotGraph, node: Values) -> list[Entry]:
        entries = [Entry(_("Edit"), "pencil", self.step_address(node["id"]))]
        if node["type"] in (START, KEYWORDS, TEXT):
            entries.append(Entry(_("Add a step"), "plus", self.add_address(node["id"], "out")))
        if node["type"] == TEXT:
            entries += [Entry(_("Move up"), "arrow-up", act="up"), Entry(_("Move down"), "arrow-down", act="down")]
            entries.append(Entry(_("Duplicate"), "copy", act="duplicate"))
        if node["type"] == START or node["type"] in graph.fixed:
            return entries
        if node["type"] not in (KEYWORDS, TEXT):
            off = node["data"].get("disabled") is True
            entries.append(Entry(_("Enable it") if off else _("Disable it"), "power", act="switch"))
        return [*entries, Entry(_("Delete"), "trash-2", act="delete")]

    def extra_of_flow(self, graph: BotGraph) -> JsonObject:
        return {"ordered": True, "hasChanges": self.may_publish, "renamed": self.renamed}

    # How it is changed

    renamed: Mapping[str, str] = {}
    """Step -> its id since it was saved."""

    def put(self, nodes: Sequence[Values], since: str | None) -> Answer:
        """Save the steps, in their order; with `since`, an updatedAt, only if nobody has changed it since."""
        body, renamed = body_of(self.bot, nodes)
        if since is not None:
            body["unchangedSince"] = since
        answer = self.ask("PUT", self.place, None, body)
        if answer.ok:
            self.bot = answer.data
            self.renamed = renamed
        return answer

    def save_drawn(self, graph: Values, since: str | None) -> Answer:
        steps = read_steps(graph["nodes"], graph["edges"])
        if steps is None:
            raise PageError(400, _("This form is not complete"), _("This graph is not a chatbot."))
        return self.put(steps, since)

    def change(self, act: Change) -> Answer:
        """Change the current steps. If another change was quicker, try again."""
        if not self.may_change:
            raise PageError(403, _("You can't edit chatbots"))
        for attempt in range(MAX_TRIES):
            if attempt:
                del self.bot
            answer = self.put(act(self.graph), self.bot["updatedAt"])
            if answer.status != 409:
                break
        return answer

    def changed(self, act: Change, text: str) -> HttpResponse:
        """Change the steps, with a way back."""
        before = {"nodes": self.graph.nodes, "edges": self.graph.edges}
        try:
            answer = self.change(act)
        except NotPossible as error:
            return self.fail(str(error), self.home)
        if not answer.ok:
            return self.refuse(answer, self.home)
        return self.redirect_with_toast(text, self.home, back=self.undo_of(before, answer.data["updatedAt"]))

    # What is done to it as a whole

    def do_publish(self) -> HttpResponse:
        errors = [problem["message"] for problem in self.bot["problems"] if problem["severity"] == "error"]
        if errors:
            return self.fail(
                _("The chatbot can't be published yet. %(names)s") % {"names": "; ".join(map(str, errors))}, self.home
            )
        return self._move("publish", _("Published. Connect it to a website chat to go live."))

    def do_pause(self) -> HttpResponse:
        return self._move("pause", _("Paused. Members take over its conversations."))

    def do_restore(self) -> HttpResponse:
        snapshot = self.bot["publishedSnapshot"]
        if not snapshot:
            return self.fail(_("Not published yet"), self.home)
        answer = self.ask("PUT", self.place, None, {name: snapshot[name] for name in WORDS if name in snapshot})
        return (
            self.redirect_with_toast(_("Reset to the published version"), self.home)
            if answer.ok
            else self.refuse(answer, self.home)
        )

    def do_delete(self) -> HttpResponse:
        answer = self.ask("DELETE", self.place)
        return (
            self.redirect_with_toast(_("Chatbot deleted"), self.address("chatbots"))
            if answer.ok
            else self.refuse(answer, self.home)
        )

    def _move(self, move: str, message: str) -> HttpResponse:
        answer = self.ask("POST", f"{self.place}/{move}")
        return self.redirect_with_toast(message, self.home) if answer.ok else self.refuse(answer, self.home)
