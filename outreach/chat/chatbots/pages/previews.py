"""The page that tries a conversation with a chatbot, and shows which of its steps answered."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.forms import Field, Form
from outreach.chat.chatbots.pages.base import OneChatbot
from outreach.chat.chatbots.pages.graph import BotGraph
from outreach.chat.chatbots.pages.types import END, TEXT, TYPES

MAX_MESSAGES = 50


class TryForm(Form):
    said = Field(
        label=gettext_lazy("Test messages"),
        kind="textarea",
        required=True,
        help_text=gettext_lazy("One message per line."),
    )
    minutes = Field(label=gettext_lazy("Minutes between two messages"), kind="number", initial=1)


class TryChatbot(OneChatbot):
    """A conversation that nobody has had."""

    path = "chatbots/<str:id>/test"
    name = "chatbot-test"
    tab_name = gettext_lazy("Try the chatbot")
    template = "web/chatbots/test.html"

    def show(self) -> Values:
        return {**self.head(), "form": TryForm(), "here": self.address()}

    def do_try(self) -> HttpResponse:
        form = TryForm(self.request.POST)
        lines = [line.strip() for line in str(form.values["said"]).splitlines() if line.strip()]
        between = form.values["minutes"] if isinstance(form.values["minutes"], int) else 0
        context = {**self.head(), "form": form, "here": self.address()}
        if not lines:
            form.add_error("said", _("Write a message first."))
            return self.page(context, status=422)
        messages = [{"text": line, "minute": place * between} for place, line in enumerate(lines)]
        answer = self.ask("POST", f"{self.place}/test", None, {"messages": messages})
        if not answer.ok:
            form.add_error(None, answer.reason)
            return self.page(context, status=422)
        graph = self.graph
        return self.page({**context, "steps": [self._turn_data(graph, step) for step in answer.data["steps"]]})

    def _turn_data(self, graph: BotGraph, step: Values) -> JsonObject:
        """Return the result of a message, with the steps that answered and that handed over."""
        own = step["chatbot"] == self.params["id"]
        nodes: list[JsonObject] = []
        if own and step["conversation"] is not None:
            nodes.append(self._step(graph, f"{TEXT}-{step['conversation'] + 1}", "answers"))
        if own and step["handOver"]:
            types = step["handOver"].split(", ")
            rules = (f"rule-{place + 1}" for place in step["rules"])
            applied_rules = [entry for id in rules if (entry := graph.find(id)) and entry["type"] in types]
            nodes += [self._step(graph, entry["id"], "applies") for entry in applied_rules]
            nodes.append(self._step(graph, END, _("takes over") if applied_rules else _("takes over at the end")))
        reason = ", ".join(str(TYPES[entry]["label"]) for entry in step["handOver"].split(", ") if entry in TYPES)
        return {
            "text": step["text"],
            "answers": step["answers"],
            "other": "" if own else step["name"],
            "nobody": step["chatbot"] is None,
            "ends": bool(step["handOver"]),
            "reason": reason,
            "by": nodes,
        }

    def _step(self, graph: BotGraph, id: str, did: str) -> JsonObject:
        return {"id": id, "label": graph.label(graph.need(id)), "link": self.step_address(id), "did": did}
