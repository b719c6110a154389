"""A graph as pages draw it: its layout, as a nested list and in rows."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values

WIDE, HIGH = 280, 140
"""Pixels from one node to the next."""
LONE = ("out", "done")
"""Handles whose nodes continue at the same level of the list."""


class NotPossible(Exception):
    """A change that the graph does not allow, with text for people."""


@dataclass
class Line:
    """A line of the nested list: a node, the head or the end of a branch, or a node further up."""

    kind: str
    """node, open, close, goes (on at a node further up) or end (of a way, where a node may be added)."""
    node: Values = field(default_factory=dict)
    handle: str = ""
    words: str = ""


class FlowGraph:
    """Nodes and edges. `handles` are the outputs of each node, `types` the properties of the nodes' types."""

    start: ClassVar[str] = "trigger"
    """The type of the node where it begins."""
    fixed: ClassVar[frozenset[str]] = frozenset()
    """Types of nodes that cannot be added or deleted, in addition to the first."""
    way_words: ClassVar[Mapping[str, str]] = {"out": gettext_lazy("Then")}
    """Handle -> its label."""

    def __init__(self, drawn: Values, types: Mapping[str, Values]) -> None:
        self.nodes: list[JsonObject] = copy.deepcopy(list(drawn["nodes"]))
        self.edges: list[JsonObject] = copy.deepcopy(list(drawn["edges"]))
        self.types = types
        self._handles = drawn["handles"]

    # What stands where

    def find(self, id: str) -> JsonObject | None:
        return next((node for node in self.nodes if node["id"] == id), None)

    def need(self, id: str) -> JsonObject:
        node = self.find(id)
        if node is None:
            raise NotPossible(gettext("This step was deleted by someone else."))
        return node

    @property
    def first(self) -> JsonObject | None:
        """The node where it begins."""
        return next((node for node in self.nodes if node["type"] == self.start), None)

    def label(self, node: Values) -> str:
        """Return the label of a node."""
        own = node["data"].get("label")
        return own if isinstance(own, str) and own.strip() else self.type_label(node)

    def type_label(self, node: Values) -> str:
        node_type = self.types.get(node["type"])
        return str(node_type["label"]) if node_type else gettext("Unknown step: %(type)s") % {"type": node["type"]}

    def handles(self, id: str) -> list[str]:
        """Return the ways on from a node, and those that its edges take all the same."""
        node = self.find(id)
        node_type = self.types.get(node["type"]) if node else None
        own = self._handles.get(id)
        if own is None:
            own = self.new_handles(node_type) if node_type else ["out"]
        return list(dict.fromkeys([*own, *(edge["sourceHandle"] for edge in self.edges_from(id))]))

    def new_handles(self, type: Values) -> list[str]:
        """Return the ways on from a new node of a type."""
        return list(type["handles"])

    def words(self, node: Values, handle: str) -> str:
        """Return the label of a handle."""
        config = node["data"].get("config") or {}
        rows = [row for name in ("cases", "arms") if isinstance(config.get(name), list) for row in config[name]]
        for row in rows:
            if isinstance(row, Mapping) and row.get("id") == handle:
                return str(row.get("label") or gettext("Case %(handle)s") % {"handle": handle})
        return self.way_words.get(handle, handle)

    def edges_from(self, id: str, handle: str = "") -> list[JsonObject]:
        return [edge for edge in self.edges if edge["source"] == id and handle in ("", edge["sourceHandle"])]

    def edges_into(self, id: str) -> list[JsonObject]:
        return [edge for edge in self.edges if edge["target"] == id]

    def node_ids_after(self, id: str) -> set[str]:
        """Return the nodes that can come after a node."""
        ids: set[str] = set()
        open = [id]
        while open:
            for edge in self.edges_from(open.pop()):
                if edge["target"] not in ids:
                    ids.add(edge["target"])
                    open.append(edge["target"])
        return ids

    def nodes_before(self, id: str) -> list[JsonObject]:
        """Return the nodes that can come before a node."""
        return [node for node in self.nodes if node["id"] != id and id in self.node_ids_after(node["id"])]

    def lines(self) -> list[Line]:
        """Return the graph as a nested list, from its start, followed by unreachable nodes."""
        visited: set[str] = set()
        entries: list[Line] = []
        if self.first is not None:
            entries += self._add_way(self.first["id"], visited)
        reached = {edge["target"] for edge in self.edges if self.find(edge["source"])}
        loose = [node["id"] for node in self.nodes if node["id"] not in visited]
        for id in sorted(loose, key=lambda id: id in reached):
            if id not in visited:
                entries += [Line("open", words=gettext("Not connected")), *self._add_way(id, visited), Line("close")]
        return entries

    def _add_way(self, id: str, visited: set[str]) -> Iterator[Line]:
        """Give the lines of a way from a node on."""
        while True:
            node = self.find(id)
            if node is None:
                return
            if id in visited:
                yield Line("goes", node, words=self.label(node))
                return
            visited.add(id)
            yield Line("node", node)
            ways = [(handle, self.edges_from(id, handle)) for handle in self.handles(id)]
            last = ways[-1] if ways and ways[-1][0] in LONE and len(ways[-1][1]) < 2 else None
            for handle, edges in ways[:-1] if last else ways:
                for edge in edges or [{}]:
                    yield Line("open", node, handle, self.words(node, handle))
                    if edge:
                        yield from self._add_way(edge["target"], visited)
                    else:
                        yield Line("end", node, handle, self.words(node, handle))
                    yield Line("close")
            if last is None:
                return
            if not last[1]:
                yield Line("end", node, last[0], self.words(node, last[0]))
                return
            id = last[1][0]["target"]

    def places(self, but: str = "") -> list[tuple[str, str]]:
        """Return (node/handle, label) of each handle, in the order of the list, without those of the node itself."""
        nodes = [line.node for line in self.lines() if line.kind == "node"]
        return [
            (f"{node['id']}/{handle}", self.place_words(node, handle))
            for node in nodes
            if node["id"] != but
            for handle in self.handles(node["id"])
        ]

    def place_words(self, node: Values, handle: str) -> str:
        label = self.words(node, handle)
        return self.label(node) if handle == "out" else f"{self.label(node)}: {label}"

    def rows(self) -> dict[int, list[str]]:
        """Return the nodes by row, each below all that lead to it, those of a row in the order of the list."""
        order = [line.node["id"] for line in self.lines() if line.kind == "node"]
        row = rows_of(order, self.edges)
        rows: dict[int, list[str]] = {}
        for id in order:
            rows.setdefault(row[id], []).append(id)
        return rows

    def tidy(self) -> None:
        """Place the nodes in rows from top to bottom, those of a row in the order of the list."""
        for high, ids in self.rows().items():
            for place, id in enumerate(ids):
                x = round((place - (len(ids) - 1) / 2) * WIDE)
                self.need(id)["position"] = {"x": x, "y": high * HIGH}


def rows_of(ids: Sequence[str], edges: Sequence[Values]) -> dict[str, int]:
    """Return node -> its row: below all that lead to it."""
    row = dict.fromkeys(ids, 0)
    for _ in range(len(ids)):
        has_moved = False
        for edge in edges:
            source, target = edge["source"], edge["target"]
            if source in row and target in row and row[target] <= row[source] < len(ids):
                row[target] = row[source] + 1
                has_moved = True
        if not has_moved:
            break
    return row


def problems_by_node(validation: Mapping[str, Sequence[Values]]) -> dict[str, list[Values]]:
    """Return node -> its errors and warnings; those of no node are the workflow's own, under ""."""
    problems: dict[str, list[Values]] = {}
    for problem in (*validation.get("errors", ()), *validation.get("warnings", ())):
        problems.setdefault(problem["nodeId"] or "", []).append(problem)
    return problems
