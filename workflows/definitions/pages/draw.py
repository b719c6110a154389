"""The page that draws a workflow: as a nested list, and on a canvas; what can be added; how its runs stand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse, JsonResponse

from core.web.pages import Refused
from workflows.definitions.pages.base import LIVE
from workflows.definitions.pages.graph import SEEDS, Graph, Line, NotPossible, problems_by_node, seeded_handles
from workflows.definitions.pages.problems import said
from workflows.definitions.pages.sources import StepSources
from workflows.definitions.pages.summaries import short

VIEWS = ("canvas", "list")
GROUPS = {
    "logic": "Decide and wait",
    "records": "Contacts and leads",
    "messages": "Messages",
    "team": "Your team",
}
"""Group of node types -> its words; others are called as they are."""
DEEPEST = 12
"""Branches that stand deeper in each other are not indented further."""
STATES = {"queued": "ready", "running": "at work", "waiting": "waiting", "paused": "paused", "failed": "failed"}
"""Status of runs at a node -> the word for it."""
KEYS = (
    ("Tab", "to the next step, in the order of the list"),
    ("Arrows", "to the step beside, above or below"),
    ("Enter", "edit the step"),
    ("A", "add a step after it"),
    ("C", "connect it: choose the other step, then Enter"),
    ("Delete", "delete the step, or the connection that is chosen"),
    ("Shift + arrows", "move the step"),
    ("Ctrl + Z", "undo"),
    ("Ctrl + Shift + Z", "redo"),
    ("T", "tidy up"),
    ("F", "show all of it"),
    ("+ and −", "zoom"),
    ("?", "these keys"),
)


class DrawWorkflow(StepSources):
    """A workflow as it is drawn."""

    path = "workflows/<str:id>"
    name = "workflow"
    record_kind = ("workflow", "Workflows")
    template = "web/workflows/draw.html"
    keys = KEYS

    def show(self) -> Mapping[str, Any]:
        graph = self.graph
        overlay = self.ask("GET", f"{self.place}/overlay")
        view = self.request.GET.get("view", "")
        return {
            **self.head(),
            "problems": self.problems(graph),
            "lines": self.lines(graph, overlay.data["nodes"] if overlay.ok else {}),
            "view": view if view in VIEWS else "auto",
            "flow": self.flow(graph),
            "groups": self.groups(),
        }

    def lines(self, graph: Graph, overlay: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the nested list with what each of its lines shows."""
        problems = problems_by_node(self.workflow["validation"])
        found, depth = [], 0
        for line in graph.lines():
            depth += {"open": 1, "close": -1}.get(line.kind, 0)
            if depth > DEEPEST and line.kind in ("open", "close"):
                continue
            found.append(self._line(graph, line, problems, overlay))
        return found

    def _line(
        self, graph: Graph, line: Line, problems: Mapping[str, list[Mapping[str, Any]]], overlay: Mapping[str, Any]
    ) -> dict[str, Any]:
        shown: dict[str, Any] = {"kind": line.kind, "words": line.words}
        if line.node:
            id = line.node["id"]
            shown |= {"id": id, "label": graph.label(line.node), "link": self.step_address(id)}
            shown["add"] = self.add_address(id, line.handle)
        if line.kind == "node":
            shown |= {
                "type": self.about(graph, line.node),
                "is_trigger": line.node["type"] == "trigger",
                "off": line.node["data"].get("disabled") is True,
                "problems": [said(one) for one in problems.get(id, ())],
                "counts": counts_of(overlay.get(id)),
                "after": [(graph.words(line.node, way), self.add_address(id, way)) for way in graph.handles(id)],
            }
        return shown

    def about(self, graph: Graph, node: Mapping[str, Any]) -> str:
        """Return what stands below a node's name: what it does, or its type; of the trigger what starts runs."""
        if node["type"] == "trigger":
            kind = self.workflow["triggerEventType"]
            only = short(self.summaries.trees(self.workflow["config"].get("filter"), self.summaries.conditions))
            told = self.triggers.get(kind) or kind or "Say what starts it"
            return f"{told}, if {only}" if only else told
        words = graph.type_label(node)
        return self.summaries.of(node) or ("" if words == graph.label(node) else words)

    def step_address(self, id: str) -> str:
        return self.address("workflow-step", self.params["id"], node=id)

    def add_address(self, id: str, handle: str) -> str:
        return self.address("workflow-add", self.params["id"], at=f"{id}/{handle}")

    def groups(self) -> list[tuple[str, list[Mapping[str, Any]]]]:
        """Return the types of nodes by group, as they are offered."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for one in self.catalogue["nodes"]:
            if one["type"] != "trigger":
                seed = json.dumps({"config": SEEDS[one["type"]]}) if one["type"] in SEEDS else "{}"
                found.setdefault(one["group"], []).append({**one, "seed": seed, "ways": seeded_handles(one)})
        return [(GROUPS.get(name, name.capitalize()), ones) for name, ones in found.items()]

    def flow(self, graph: Graph) -> dict[str, Any]:
        """Return what the canvas draws."""
        problems = problems_by_node(self.workflow["validation"])
        return {
            "nodes": graph.nodes,
            "edges": graph.edges,
            "updatedAt": self.workflow["updatedAt"],
            "shown": {
                node["id"]: {
                    "label": graph.label(node),
                    "about": self.about(graph, node),
                    "group": self.types.get(node["type"], {}).get("group", ""),
                    "ways": [[handle, graph.words(node, handle)] for handle in graph.handles(node["id"])],
                    "problems": [said(one)["message"] for one in problems.get(node["id"], ())],
                }
                for node in graph.nodes
            },
            "problems": self.problems(graph),
            "hasChanges": self.workflow["hasChanges"],
            "step": self.address("workflow-step", self.params["id"]),
            "mayChange": self.may("workflow", "PUT"),
        }

    # What the list does: <button name="act" value="delete:<node>">

    def do_act(self) -> HttpResponse:
        verb, _, id = self.request.POST.get("act", "").partition(":")
        acts = {
            "delete": (lambda graph: graph.delete(id), "Step deleted"),
            "duplicate": (lambda graph: graph.duplicate(id), "Step duplicated"),
            "switch": (lambda graph: graph.switch(id), "Changed: the step is switched"),
            "up": (lambda graph: graph.step(id, -1), "Step moved"),
            "down": (lambda graph: graph.step(id, 1), "Step moved"),
        }
        if verb not in acts:
            raise Refused(400, "This page has no such action")
        act, text = acts[verb]
        if verb == "delete":
            return self._deleted(id)
        return self.changed(act, text)

    def _deleted(self, id: str) -> HttpResponse:
        """Delete a step, with a way back."""
        before = {"nodes": self.workflow["nodes"], "edges": self.workflow["edges"]}
        try:
            answer, _ = self.change(lambda graph: graph.delete(id))
        except NotPossible as trouble:
            return self.fail(str(trouble))
        if not answer.ok:
            return self.refuse(answer)
        text = json.dumps(before)
        back = {"do": "back", "graph": text, "since": answer.data["updatedAt"]} if len(text) < 50_000 else None
        return self.done("Step deleted", back=back)

    def do_back(self) -> HttpResponse:
        """Put back the graph that a form has, unless somebody has changed it since."""
        answer = self.ask("PUT", self.place, None, {**self._sent_graph(), **self._since()})
        return self.done("It is as it was before") if answer.ok else self.refuse(answer)

    def do_tidy(self) -> HttpResponse:
        return self.changed(lambda graph: graph.tidy(), "Tidied up")

    # What the canvas does

    def do_draw(self) -> HttpResponse:
        """Save the graph as it was drawn. Answers with what the canvas shows, or with who was quicker."""
        body = {**self._sent_graph(), **({} if "overwrite" in self.request.POST else self._since())}
        answer = self.ask("PUT", self.place, None, body)
        if answer.ok:
            self.workflow = answer.data
            return JsonResponse(self.flow(self.graph))
        if answer.status == 409:
            by = self.workflow["updatedBy"]
            return JsonResponse({"who": by["name"] if by else "Somebody"}, status=422)
        return JsonResponse({"message": answer.refusal}, status=422)

    def _sent_graph(self) -> dict[str, Any]:
        try:
            found = json.loads(self.request.POST.get("graph", ""))
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict) or not {"nodes", "edges"} <= set(found):
            raise Refused(400, "This form is not complete", "The graph is missing.")
        return {"nodes": found["nodes"], "edges": found["edges"]}

    def _since(self) -> dict[str, str]:
        return {"unchangedSince": self.request.POST.get("since", "")}


class AddStep(DrawWorkflow):
    """What can be put after a way on."""

    path = "workflows/<str:id>/add"
    name = "workflow-add"
    record_kind = ("", "")
    template = "web/workflows/add.html"

    def place_at(self, graph: Graph) -> tuple[str, str]:
        """Return the node and the way on after which something is added."""
        at = self.request.POST.get("at") or self.request.GET.get("at", "")
        id, _, handle = at.rpartition("/")
        trigger = graph.trigger
        return (id, handle or "out") if id else (trigger["id"] if trigger else "", "out")

    def show(self) -> Mapping[str, Any]:
        graph = self.graph
        id, handle = self.place_at(graph)
        node = graph.find(id)
        ways = [(place, words) for place, words in graph.places() if node is not None]
        return {
            **self.head(),
            "groups": self.groups(),
            "at": f"{id}/{handle}",
            "after": graph.place_words(node, handle) if node else "",
            "places": ways,
        }

    def do_add(self) -> HttpResponse:
        at = self.place_at(self.graph)
        type = self.request.POST.get("type", "")
        if not self.may("workflow", "PUT"):
            raise Refused(403, "Your role does not change workflows")
        try:
            answer, made = self.change(lambda graph: graph.add(type, *at))
        except NotPossible as trouble:
            return self.fail(str(trouble), self.address("workflow", self.params["id"]))
        if not answer.ok:
            return self.refuse(answer)
        return self.done("", self.step_address(made))


class LiveWorkflow(DrawWorkflow):
    """How many runs are at each step, which the drawing asks for every two seconds."""

    path = "workflows/<str:id>/live"
    name = "workflow-live"
    record_kind = ("", "")
    template = "web/workflows/live.html"

    def show(self) -> Mapping[str, Any]:
        overlay = self.read(f"{self.place}/overlay").data
        graph = self.graph
        rows = [
            {"id": node["id"], "label": graph.label(node), "counts": counts_of(overlay["nodes"].get(node["id"]))}
            for node in graph.nodes
        ]
        counts = overlay["runCounts"]
        live = sum(counts.get(status, 0) for status in LIVE)
        return {**self.head(), "rows": rows, "live": live, "failed": counts.get("failed", 0)}


def counts_of(found: Mapping[str, Any] | None) -> list[tuple[str, str, int]]:
    """Return (status, its words, how many) of the runs at a node, and how many have been through."""
    if not found:
        return []
    now = [(name, words, found["now"][name]) for name, words in STATES.items() if found["now"].get(name)]
    through = sum(number for handle, number in found["done"].items() if handle != "failed")
    return [*now, *([("done", "been here", through)] if through else [])]
