"""The page that draws a chatbot, and the page that offers steps to add."""

from __future__ import annotations

from django.http import HttpResponse
from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.flows.graph import NotPossible
from core.web.pages import PageError
from outreach.chat.chatbots.pages.base import OneChatbot
from outreach.chat.chatbots.pages.graph import BotGraph
from outreach.chat.chatbots.pages.types import RULES, TEXT

Steps = list[JsonObject]


def delete_step(graph: BotGraph, id: str) -> Steps:
    node = graph.need(id)
    if node["type"] == graph.start or node["type"] in graph.fixed:
        raise NotPossible(gettext("This step can't be deleted."))
    return [step for step in graph.nodes if step is not node]


def move_step(graph: BotGraph, id: str, by: int) -> Steps:
    """Swap a text with the one before or after it."""
    texts = [step["id"] for step in graph.of_type(TEXT)]
    place = texts.index(id) if id in texts else -1
    if place < 0 or not 0 <= place + by < len(texts):
        raise NotPossible(gettext("This step can't be moved further."))
    return swap_steps(graph.nodes, graph.need(id), graph.need(texts[place + by]))


def swap_steps(nodes: Steps, first: JsonObject, other: JsonObject) -> Steps:
    change = {first["id"]: other, other["id"]: first}
    return [change.get(node["id"], node) for node in nodes]


def toggle_step(graph: BotGraph, id: str) -> Steps:
    node = graph.need(id)
    if node["type"] not in RULES:
        raise NotPossible(gettext("This step can't be disabled. Delete it instead."))
    node["data"]["disabled"] = node["data"].get("disabled") is not True
    return graph.nodes


def duplicate_step(graph: BotGraph, id: str) -> Steps:
    node = graph.need(id)
    if node["type"] != TEXT:
        raise NotPossible(gettext("Only texts can be duplicated."))
    return put_in(graph, {**node, "id": f"{id}-copy"}, id)


def put_in(graph: BotGraph, step: JsonObject, after: str) -> Steps:
    """Put a new step among the others: a text after another one, or before all of them."""
    place = next((place for place, node in enumerate(graph.nodes) if node["id"] == after), -1)
    there = graph.nodes[place]["type"] if place >= 0 else ""
    if step["type"] == TEXT and (there in RULES or there in graph.fixed or not there):
        place = len(graph.nodes) - 1  # it is the last one that it says
    elif step["type"] != TEXT:
        place = len(graph.nodes) - 1
    return [*graph.nodes[: place + 1], step, *graph.nodes[place + 1 :]]


class DrawChatbot(OneChatbot):
    """A chatbot as it is drawn."""

    path = "chatbots/<str:id>"
    name = "chatbot"
    tab_name = gettext_lazy("Chatbot")

    def show(self) -> Values:
        return self.drawing()

    # What the list does: <button name="act" value="delete:<step>">

    def do_act(self) -> HttpResponse:
        verb, _, id = self.request.POST.get("act", "").partition(":")
        acts = {
            "delete": (lambda graph: delete_step(graph, id), gettext("Step deleted")),
            "duplicate": (lambda graph: duplicate_step(graph, id), gettext("Text duplicated")),
            "switch": (lambda graph: toggle_step(graph, id), gettext("Changed")),
            "up": (lambda graph: move_step(graph, id, -1), gettext("Text moved")),
            "down": (lambda graph: move_step(graph, id, 1), gettext("Text moved")),
        }
        if verb not in acts:
            raise PageError(400, gettext("This page has no such action"))
        return self.changed(*acts[verb])


class AddStep(OneChatbot):
    """The choice of parts to add to a chatbot."""

    path = "chatbots/<str:id>/add"
    name = "chatbot-add"
    tab_name = gettext_lazy("Add a step")
    template = "web/flow/add.html"

    def show(self) -> Values:
        at = self.request.GET.get("at", "")
        node = self.graph.find(at.rpartition("/")[0])
        return {
            **self.head(),
            "groups": self.groups(),
            "at": at,
            "after": self.graph.label(node) if node else "",
            "can_change": self.may_change,
        }

    def do_add(self) -> HttpResponse:
        """Redirect to the form of the new step, which is saved once it is filled in."""
        sent = self.request.POST
        return self.redirect_with_toast("", self.new_step_address(sent.get("type", ""), sent.get("at", "")))
