"""Pages that draw a graph: on a canvas, and as a nested list that does the same without script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import orjson
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.ask import Answer
from core.web.flows.graph import FlowGraph, Line
from core.web.pages import Page, PageError

VIEWS = ("canvas", "list")
DEEPEST = 12
"""Maximum depth of indentation for nested branches."""
KEYS = (
    ("Tab", gettext_lazy("to the next step, in the order of the list")),
    ("Arrows", gettext_lazy("to a neighboring step")),
    ("Enter", gettext_lazy("edit the step")),
    ("A", gettext_lazy("add a step after it")),
    ("C", gettext_lazy("connect it: choose the other step, then Enter")),
    ("Delete", gettext_lazy("delete the chosen step or connection")),
    ("Shift + arrows", gettext_lazy("move the step")),
    ("Ctrl + Z", "undo"),
    ("Ctrl + Shift + Z", "redo"),
    ("T", gettext_lazy("tidy up")),
    ("F", gettext_lazy("show all")),
    ("+ and −", "zoom"),
    ("?", gettext_lazy("these keys")),
)


def view_query(request: HttpRequest) -> dict[str, str]:
    """Return the part of a query that keeps the list, for pages opened from it."""
    return {"view": "list"} if request.GET.get("view") == "list" else {}


@dataclass(frozen=True)
class Entry:
    """A line of the menu of a step in the list: a link, or an act that the page does to the step."""

    words: str
    icon: str
    link: str = ""
    act: str = ""


class FlowPage(Page):
    """A page that draws a graph. A subclass defines the graph, and the label and description of each step."""

    template = "web/flow/draw.html"
    head_template: ClassVar[str]
    """The template of the part above the drawing."""
    keys: ClassVar[Sequence[tuple[str, str]]] = KEYS

    # What a page implements

    @property
    def graph(self) -> FlowGraph:
        raise NotImplementedError

    @property
    def drawn_record(self) -> Values:
        """The record that is drawn, with its updatedAt and updatedBy."""
        raise NotImplementedError

    @property
    def may_change(self) -> bool:
        return self.may(self.module, "PUT")

    def head(self) -> JsonObject:
        """Return the data of the head."""
        raise NotImplementedError

    def problems(self, graph: Any) -> list[JsonObject]:
        """Return the problems: message, severity, nodeId, the label of the node, and link, the place where each is
        fixed."""
        raise NotImplementedError

    def about(self, graph: Any, node: Values) -> str:
        """Return the description below a node's name."""
        raise NotImplementedError

    def groups(self) -> list[tuple[str, list[Values]]]:
        """Return the types of nodes by the label of their group, in the order of the offer."""
        raise NotImplementedError

    def step_address(self, id: str) -> str:
        """Return the address of the page of a node."""
        raise NotImplementedError

    def add_address(self, id: str, handle: str) -> str:
        """Return the address of the page with the steps that can be added after a handle."""
        raise NotImplementedError

    def menu_of(self, graph: Any, node: Values) -> list[Entry]:
        """Return the actions of the list for a node."""
        raise NotImplementedError

    def save_drawn(self, graph: Values, since: str | None) -> Answer:
        """Save the drawing: nodes and edges. With `since`, an updatedAt, only if it has not changed since."""
        raise NotImplementedError

    @property
    def live_address(self) -> str:
        """Return the address of the page with the counts at each step, for drawings of running objects."""
        return ""

    @property
    def try_address(self) -> str:
        """Return the address of the page that tests it, which opens next to the canvas."""
        return ""

    def extra_of_flow(self, graph: Any) -> JsonObject:
        """Return further data for the canvas."""
        return {}

    # What is shown

    def drawing(self) -> JsonObject:
        """Return the data of the template."""
        graph = self.graph
        view = self.request.GET.get("view", "")
        return {
            **self.head(),
            "problems": self.problems(graph),
            "lines": self.lines(graph),
            "view": view if view in VIEWS else "auto",
            "flow": self.flow(graph),
            "groups": self.groups(),
            "can_change": self.may_change,
        }

    def lines(self, graph: Any) -> list[JsonObject]:
        """Return the nested list with the data of each line."""
        problems = _group_by_node(self.problems(graph))
        shown_lines, depth = [], 0
        for line in graph.lines():
            depth += {"open": 1, "close": -1}.get(line.kind, 0)
            if depth > DEEPEST and line.kind in ("open", "close"):
                continue
            shown_lines.append(self.line(graph, line, problems))
        return shown_lines

    def line(self, graph: Any, line: Line, problems: Mapping[str, list[Values]]) -> JsonObject:
        """Return the data of a line of the list."""
        entry: JsonObject = {"kind": line.kind, "words": line.words}
        if line.node:
            id = line.node["id"]
            entry |= {"id": id, "label": graph.label(line.node), "link": self.step_address(id)}
            entry["add"] = self.add_address(id, line.handle)
        if line.kind == "node":
            entry |= {
                "type": self.about(graph, line.node),
                "off": line.node["data"].get("disabled") is True,
                "problems": problems.get(id, ()),
                "menu": self.menu_of(graph, line.node),
            }
        return entry

    def flow(self, graph: Any) -> JsonObject:
        """Return the data of the canvas."""
        problems = self.problems(graph)
        at = _group_by_node(problems)
        return {
            "nodes": graph.nodes,
            "edges": graph.edges,
            "updatedAt": self.drawn_record["updatedAt"],
            "start": graph.start,
            "shown": {
                node["id"]: {
                    "label": graph.label(node),
                    "about": self.about(graph, node),
                    "group": graph.types.get(node["type"], {}).get("group", ""),
                    "ways": [[handle, graph.words(node, handle)] for handle in graph.handles(node["id"])],
                    "problems": [problem["message"] for problem in at.get(node["id"], ())],
                    "fixed": node["type"] in graph.fixed,
                }
                for node in graph.nodes
            },
            "problems": problems,
            "step": self.step_address("").partition("?")[0],
            "mayChange": self.may_change,
            **self.extra_of_flow(graph),
        }

    # What the canvas does

    def do_draw(self) -> HttpResponse:
        """Save the drawn graph. Respond with the canvas's data, or with the member whose change came first."""
        since = None if "overwrite" in self.request.POST else self.request.POST.get("since", "")
        answer = self.save_drawn(self.sent_graph(), since)
        if answer.ok:
            return JsonResponse(self.flow(self.graph))
        if answer.status == 409:
            return JsonResponse({"who": self.changed_by}, status=422)
        return JsonResponse({"message": answer.refusal}, status=422)

    @property
    def changed_by(self) -> str:
        """The name of the member who changed it last."""
        by = self.drawn_record["updatedBy"]
        return str(by["name"]) if by else _("Someone")

    def sent_graph(self) -> JsonObject:
        """Return the nodes and edges that were sent."""
        try:
            graph = orjson.loads(self.request.POST.get("graph", ""))
        except (ValueError, RecursionError):
            graph = None
        if not isinstance(graph, dict) or not {"nodes", "edges"} <= set(graph):
            raise PageError(400, _("This form is not complete"), _("The graph is missing."))
        return {"nodes": graph["nodes"], "edges": graph["edges"]}

    def undo_of(self, before: Values, since: str) -> dict[str, str] | None:
        """Return the fields of the form that puts back a graph, unless it is too large for a toast."""
        text = json.dumps({"nodes": before["nodes"], "edges": before["edges"]})
        return {"do": "back", "graph": text, "since": since} if len(text) < 50_000 else None

    def do_back(self) -> HttpResponse:
        """Restore the graph that a form has, unless it has been changed since."""
        answer = self.save_drawn(self.sent_graph(), self.request.POST.get("since", ""))
        return self.redirect_with_toast(_("Change undone")) if answer.ok else self.refuse(answer)


def _group_by_node(problems: Sequence[Values]) -> dict[str, list[Values]]:
    grouped: dict[str, list[Values]] = {}
    for problem in problems:
        grouped.setdefault(problem["nodeId"] or "", []).append(problem)
    return grouped
