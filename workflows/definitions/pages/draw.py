"""The page that draws a workflow: as a nested list and on a canvas, with steps to add and the states of its runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property

from django.http import HttpResponse
from django.utils.translation import gettext

from core.ids import is_id
from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.flows.graph import Line, NotPossible
from core.web.flows.pages import Entry, FlowPage, view_query
from core.web.pages import PageError
from workflows.definitions.pages.base import LIVE
from workflows.definitions.pages.graph import SEEDS, Graph, seeded_handles
from workflows.definitions.pages.sources import StepSources
from workflows.definitions.pages.summaries import one_line
from workflows.definitions.pages.words import KEYWORDS, PURPOSES

GROUPS = {
    "logic": gettext_lazy("Decide and wait"),
    "records": gettext_lazy("Contacts and leads"),
    "messages": gettext_lazy("Messages"),
    "team": gettext_lazy("Your team"),
}
"""Group of node types -> its label; others keep their names."""
STATES = {
    "queued": gettext_lazy("ready"),
    "running": gettext_lazy("running"),
    "waiting": gettext_lazy("waiting"),
    "paused": gettext_lazy("paused"),
    "failed": gettext_lazy("failed"),
}
"""Status of runs at a node -> the word for it."""


class DrawWorkflow(StepSources, FlowPage):
    """A workflow as it is drawn."""

    path = "workflows/<str:id>"
    name = "workflow"
    tab_name = gettext_lazy("Workflow")
    record_kind = ("workflow", gettext_lazy("Workflows"))
    template = "web/flow/draw.html"
    head_template = "web/workflows/head.html"

    def show(self) -> Values:
        return self.drawing()

    @property
    def drawn_record(self) -> Values:
        return self.workflow

    @property
    def live_address(self) -> str:
        return self.address("workflow-live", self.params["id"])

    @cached_property
    def overlay(self) -> Values:
        """Node -> how runs are there."""
        answer = self.ask("GET", f"{self.place}/overlay")
        return answer.data["nodes"] if answer.ok else {}

    def line(self, graph: Graph, line: Line, problems: Mapping[str, list[Values]]) -> JsonObject:
        line_data = super().line(graph, line, problems)
        return (
            {**line_data, "counts": counts_of(self.overlay.get(line_data["id"]))} if line.kind == "node" else line_data
        )

    def menu_of(self, graph: Graph, node: Values) -> list[Entry]:
        id = node["id"]
        link = self.step_address(node["id"])
        entries = [Entry(gettext("Edit"), "pencil", link)]
        for way in graph.handles(id):
            entries.append(
                Entry(gettext("Add: %(words)s") % {"words": graph.words(node, way)}, "plus", self.add_address(id, way))
            )
        if node["type"] == graph.start:
            return [*entries, Entry(gettext("Connect to…"), "spline", f"{link}#connections")]
        return [
            *entries,
            Entry(gettext("Connect or move to…"), "spline", f"{link}#connections"),
            Entry(gettext("Move up"), "arrow-up", act="up"),
            Entry(gettext("Move down"), "arrow-down", act="down"),
            Entry(gettext("Duplicate"), "copy", act="duplicate"),
            Entry(
                gettext("Enable it") if node["data"].get("disabled") is True else gettext("Disable it"),
                "power",
                act="switch",
            ),
            Entry(gettext("Delete"), "trash-2", act="delete"),
        ]

    def about(self, graph: Graph, node: Values) -> str:
        """Return the description below a node's name: its action, or its type; of the trigger the event."""
        if node["type"] == "trigger":
            kind = self.workflow["triggerEventType"]
            only = one_line(self.summaries.trees(self.workflow["config"].get("filter"), self.summaries.conditions))
            label = self.triggers.get(kind) or kind or gettext("Choose a trigger")
            return gettext("%(label)s, if %(only)s") % {"label": label, "only": only} if only else label
        type_label = graph.type_label(node)
        return self.summaries.describe(node) or ("" if type_label == graph.label(node) else type_label)

    def add_address(self, id: str, handle: str) -> str:
        return self.address("workflow-add", self.params["id"], at=f"{id}/{handle}", **view_query(self.request))

    def groups(self) -> list[tuple[str, list[Values]]]:
        """Return the types of nodes by group, as they are offered."""
        by_group: dict[str, list[Values]] = {}
        for node_type in self.catalogue["nodes"]:
            if node_type["type"] != "trigger":
                seed = json.dumps({"config": SEEDS[node_type["type"]]}) if node_type["type"] in SEEDS else "{}"
                by_group.setdefault(node_type["group"], []).append(
                    {
                        **node_type,
                        "help": PURPOSES.get(node_type["type"], node_type["help"]),
                        "seed": seed,
                        "ways": seeded_handles(node_type),
                        "keywords": KEYWORDS.get(node_type["type"], ""),
                    }
                )
        return [(GROUPS.get(name, name.capitalize()), ones) for name, ones in by_group.items()]

    def extra_of_flow(self, graph: Graph) -> JsonObject:
        return {"hasChanges": self.workflow["hasChanges"]}

    def save_drawn(self, graph: Values, since: str | None) -> Answer:
        body = {**graph, **({} if since is None else {"unchangedSince": since})}
        answer = self.ask("PUT", self.place, None, body)
        if answer.ok:
            self.workflow = answer.data
        return answer

    # What the list does: <button name="act" value="delete:<node>">

    def do_act(self) -> HttpResponse:
        verb, _, id = self.request.POST.get("act", "").partition(":")
        acts = {
            "delete": (lambda graph: graph.delete(id), gettext("Step deleted")),
            "duplicate": (lambda graph: graph.duplicate(id), gettext("Step duplicated")),
            "switch": (lambda graph: graph.switch(id), gettext("Step switched on or off")),
            "up": (lambda graph: graph.step(id, -1), gettext("Step moved")),
            "down": (lambda graph: graph.step(id, 1), gettext("Step moved")),
        }
        if verb not in acts:
            raise PageError(400, gettext("This page has no such action"))
        act, text = acts[verb]
        if verb == "delete":
            return self._delete_step(id)
        return self.apply_change(act, text)

    def _delete_step(self, id: str) -> HttpResponse:
        """Delete a step, with a way back."""
        before = {"nodes": self.workflow["nodes"], "edges": self.workflow["edges"]}
        try:
            answer, _ = self.change(lambda graph: graph.delete(id))
        except NotPossible as error:
            return self.fail(str(error))
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast(gettext("Step deleted"), back=self.undo_of(before, answer.data["updatedAt"]))

    def do_uninstall(self) -> HttpResponse:
        """Delete the workflow with the email templates that were installed for it."""
        templates = [id for id in self.request.POST.get("templates", "").split(",") if is_id(id)]
        answer = self.ask("DELETE", self.place)
        if answer.ok and templates and self.may("template", "DELETE"):
            answer = self.ask("DELETE", "template/email", None, {"ids": templates})
        if not answer.ok:
            return self.refuse(answer, self.address("workflows"))
        return self.redirect_with_toast(gettext("Workflow and its emails removed"), self.address("workflow-new"))

    def do_tidy(self) -> HttpResponse:
        return self.apply_change(lambda graph: graph.tidy(), gettext("Layout tidied"))


class AddStep(DrawWorkflow):
    """The choice of steps to add after a handle of a step."""

    path = "workflows/<str:id>/add"
    name = "workflow-add"
    tab_name = gettext_lazy("Add a step")
    record_kind = ("", "")
    template = "web/flow/add.html"

    def place_at(self, graph: Graph) -> tuple[str, str]:
        """Return the node and the way on after which something is added."""
        at = self.request.POST.get("at") or self.request.GET.get("at", "")
        id, _, handle = at.rpartition("/")
        trigger = graph.first
        return (id, handle or "out") if id else (trigger["id"] if trigger else "", "out")

    def show(self) -> Values:
        graph = self.graph
        id, handle = self.place_at(graph)
        node = graph.find(id)
        return {
            **self.head(),
            "groups": self.groups(),
            "at": f"{id}/{handle}",
            "after": graph.place_words(node, handle) if node else "",
            "can_change": self.may_change,
        }

    def do_add(self) -> HttpResponse:
        at = self.place_at(self.graph)
        type = self.request.POST.get("type", "")
        if not self.may("workflow", "PUT"):
            raise PageError(403, gettext("You can't change workflows"))
        try:
            answer, node_id = self.change(lambda graph: graph.add(type, *at))
        except NotPossible as error:
            return self.fail(str(error), self.home)
        if not answer.ok:
            return self.refuse(answer)
        return self.redirect_with_toast("", self.step_address(node_id))


class LiveWorkflow(DrawWorkflow):
    """The number of runs at each step, which the drawing requests every two seconds."""

    path = "workflows/<str:id>/live"
    name = "workflow-live"
    tab_name = gettext_lazy("Runs by step")
    record_kind = ("", "")
    template = "web/workflows/live.html"

    def show(self) -> Values:
        overlay = self.read(f"{self.place}/overlay").data
        graph = self.graph
        rows = [
            {"id": node["id"], "label": graph.label(node), "counts": counts_of(overlay["nodes"].get(node["id"]))}
            for node in graph.nodes
        ]
        counts = overlay["runCounts"]
        live = sum(counts.get(status, 0) for status in LIVE)
        return {**self.head(), "rows": rows, "live": live, "failed": counts.get("failed", 0)}


def counts_of(counts: Values | None) -> list[tuple[str, str, int]]:
    """Return (status, its label, number) of the runs at a node, and the number of past ones."""
    if not counts:
        return []
    now = [(name, label, counts["now"][name]) for name, label in STATES.items() if counts["now"].get(name)]
    through = sum(number for handle, number in counts["done"].items() if handle != "failed")
    return [*now, *([("done", gettext("completed"), through)] if through else [])]
