"""The graph of a draft as its pages change it: what stands where, and each change of it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

TRIGGER = "trigger"
WIDE, HIGH = 280, 140
"""Pixels from one node to the next."""
WORDS = {
    "out": "Then",
    "true": "If so",
    "false": "If not",
    "else": "Otherwise",
    "item": "For each",
    "done": "After the last",
    "error": "If it fails",
    "exists": "If there is one already",
    "event": "When it happens",
    "timeout": "If time runs out",
    "none": "If there is none",
    "found": "If there are some",
    "approved": "If approved",
    "rejected": "If rejected",
    "suppressed": "If it may not be sent",
    "failed": "If it fails",
    "refused": "If refused",
}
"""Handle -> the words for it."""
LONE = ("out", "done")
"""Handles whose nodes go on at the same level of the list."""
SEEDS: dict[str, dict[str, Any]] = {
    "split": {"arms": [{"id": "a", "label": "A", "weight": 50}, {"id": "b", "label": "B", "weight": 50}]},
}
"""Type -> settings that a new node begins with, where it would have no way on without any."""


class NotPossible(Exception):
    """A change that the graph does not allow, in people's words."""


@dataclass
class Line:
    """A line of the nested list: a node, the head or the end of a branch, or a node further up."""

    kind: str
    """node, open, close, goes (on at a node further up) or end (of a way, where a node may be added)."""
    node: Mapping[str, Any] = field(default_factory=dict)
    handle: str = ""
    words: str = ""


class Graph:
    """Nodes and edges of a draft. `handles` are the ways on from each node, `types` the catalogue's nodes by type."""

    def __init__(self, workflow: Mapping[str, Any], types: Mapping[str, Mapping[str, Any]]) -> None:
        self.nodes: list[dict[str, Any]] = copy.deepcopy(list(workflow["nodes"]))
        self.edges: list[dict[str, Any]] = copy.deepcopy(list(workflow["edges"]))
        self.types = types
        self._handles = workflow["handles"]
        if not self.nodes:
            self.nodes = [{"id": TRIGGER, "type": TRIGGER, "position": {"x": 0, "y": 0}, "data": {}}]
        self._by_hand = self._is_placed_by_hand()

    # What stands where

    def find(self, id: str) -> dict[str, Any] | None:
        return next((node for node in self.nodes if node["id"] == id), None)

    def need(self, id: str) -> dict[str, Any]:
        found = self.find(id)
        if found is None:
            raise NotPossible("This step is gone. Somebody has deleted it meanwhile.")
        return found

    @property
    def trigger(self) -> dict[str, Any] | None:
        return next((node for node in self.nodes if node["type"] == TRIGGER), None)

    def label(self, node: Mapping[str, Any]) -> str:
        """Return what a node is called."""
        own = node["data"].get("label")
        return own if isinstance(own, str) and own.strip() else self.type_label(node)

    def type_label(self, node: Mapping[str, Any]) -> str:
        known = self.types.get(node["type"])
        return str(known["label"]) if known else f"{node['type'] or 'Unknown'} (unknown)"

    def handles(self, id: str) -> list[str]:
        """Return the ways on from a node, and those that its edges take all the same."""
        node = self.find(id)
        known = self.types.get(node["type"]) if node else None
        own = self._handles.get(id)
        if own is None:
            own = seeded_handles(known) if known else ["out"]
        return list(dict.fromkeys([*own, *(edge["sourceHandle"] for edge in self.out(id))]))

    def words(self, node: Mapping[str, Any], handle: str) -> str:
        """Return the words for a way on."""
        config = node["data"].get("config") or {}
        rows = [one for name in ("cases", "arms") if isinstance(config.get(name), list) for one in config[name]]
        for one in rows:
            if isinstance(one, Mapping) and one.get("id") == handle:
                return str(one.get("label") or f"Case {handle}")
        return WORDS.get(handle, handle)

    def out(self, id: str, handle: str = "") -> list[dict[str, Any]]:
        return [one for one in self.edges if one["source"] == id and handle in ("", one["sourceHandle"])]

    def into(self, id: str) -> list[dict[str, Any]]:
        return [one for one in self.edges if one["target"] == id]

    def after(self, id: str) -> set[str]:
        """Return the nodes that can come after a node."""
        found: set[str] = set()
        open = [id]
        while open:
            for edge in self.out(open.pop()):
                if edge["target"] not in found:
                    found.add(edge["target"])
                    open.append(edge["target"])
        return found

    def before(self, id: str) -> list[dict[str, Any]]:
        """Return the nodes that can come before a node."""
        return [node for node in self.nodes if node["id"] != id and id in self.after(node["id"])]

    def lines(self) -> list[Line]:
        """Return the graph as a nested list, from the trigger on, and then what nothing leads to."""
        shown: set[str] = set()
        found: list[Line] = []
        if self.trigger is not None:
            found += self._way(self.trigger["id"], shown)
        reached = {edge["target"] for edge in self.edges if self.find(edge["source"])}
        loose = [node["id"] for node in self.nodes if node["id"] not in shown]
        for id in sorted(loose, key=lambda id: id in reached):
            if id not in shown:
                found += [Line("open", words="Nothing leads here"), *self._way(id, shown), Line("close")]
        return found

    def _way(self, id: str, shown: set[str]) -> Iterator[Line]:
        """Give the lines of a way from a node on."""
        while True:
            node = self.find(id)
            if node is None:
                return
            if id in shown:
                yield Line("goes", node, words=self.label(node))
                return
            shown.add(id)
            yield Line("node", node)
            ways = [(handle, self.out(id, handle)) for handle in self.handles(id)]
            last = ways[-1] if ways and ways[-1][0] in LONE and len(ways[-1][1]) < 2 else None
            for handle, edges in ways[:-1] if last else ways:
                for edge in edges or [{}]:
                    yield Line("open", node, handle, self.words(node, handle))
                    if edge:
                        yield from self._way(edge["target"], shown)
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
        """Return (node/handle, words) of each way on, in the order of the list, but those of a node itself."""
        nodes = [line.node for line in self.lines() if line.kind == "node"]
        return [
            (f"{node['id']}/{handle}", self.place_words(node, handle))
            for node in nodes
            if node["id"] != but
            for handle in self.handles(node["id"])
        ]

    def place_words(self, node: Mapping[str, Any], handle: str) -> str:
        words = self.words(node, handle)
        return self.label(node) if handle == "out" else f"{self.label(node)}: {words[:1].lower()}{words[1:]}"

    # Changes

    def add(self, type: str, after: str, handle: str, data: Mapping[str, Any] | None = None) -> str:
        """Put a new node after a way on, before what came there. Returns its id."""
        if type not in self.types or type == TRIGGER:
            raise NotPossible("There is no such step.")
        self.need(after)
        if handle not in self.handles(after):
            raise NotPossible("This way on is gone. Somebody has changed the step meanwhile.")
        taken = {node["id"] for node in self.nodes}
        id = next(name for number in range(1, 1000) if (name := f"{type}-{number}") not in taken)
        place = self.need(after)["position"]
        position = {"x": place["x"], "y": place["y"] + HIGH}
        seed = {"config": copy.deepcopy(SEEDS[type])} if type in SEEDS else {}
        self.nodes.append({"id": id, "type": type, "position": position, "data": dict(data or seed)})
        self._insert(id, after, handle)
        self._settle(self.after(id))
        return id

    def _insert(self, id: str, after: str, handle: str) -> None:
        """Let a way on lead to a node, and the node to where the way led."""
        ways = self.handles(id)
        rest = self.out(after, handle)
        if ways:
            for edge in rest:
                edge.update(source=id, sourceHandle=ways[0])
        else:
            self.edges = [edge for edge in self.edges if edge not in rest]
        self._join(after, handle, id)

    def _join(self, source: str, handle: str, target: str) -> None:
        id = f"{source}-{handle}-{target}"[:200]
        edge = {"id": id, "source": source, "target": target, "sourceHandle": handle, "targetHandle": "in", "label": ""}
        if not any(one["target"] == target for one in self.out(source, handle)):
            self.edges.append(edge)

    def _take_out(self, id: str) -> None:
        """Lead past a node, from where it is reached to where it goes first."""
        ways = [self.out(id, handle) for handle in self.handles(id)]
        targets = [edge["target"] for edge in next((way for way in reversed(ways) if way), [])]
        came = self.into(id)
        self.edges = [edge for edge in self.edges if id not in (edge["source"], edge["target"])]
        for edge in came:
            for target in targets:
                self._join(edge["source"], edge["sourceHandle"], target)

    def delete(self, id: str) -> None:
        """Take a node away. What came before it goes on where it went."""
        if self.need(id)["type"] == TRIGGER:
            raise NotPossible("The trigger stays: change what starts the workflow instead.")
        self._take_out(id)
        self.nodes = [node for node in self.nodes if node["id"] != id]
        self._settle()

    def duplicate(self, id: str) -> str:
        """Put a copy of a node after it. Returns the copy's id."""
        node = self.need(id)
        data = {**node["data"], "label": f"{self.label(node)[:190]} (copy)"}
        ways = self.handles(id)
        if ways:
            return self.add(node["type"], id, ways[-1], data)
        came = self.into(id)
        if not came:
            raise NotPossible("Connect this step first.")
        return self.add(node["type"], came[0]["source"], came[0]["sourceHandle"], data)

    def switch(self, id: str) -> bool:
        """Leave a node out of runs, or take it in again. Returns whether it is left out."""
        data = self.need(id)["data"]
        if data.pop("disabled", False) is not True:
            data["disabled"] = True
        return data.get("disabled") is True

    def move(self, id: str, after: str, handle: str) -> None:
        """Put a node after another way on."""
        if self.need(id)["type"] == TRIGGER or id == after:
            raise NotPossible("This step cannot stand there.")
        self.need(after)
        self._take_out(id)
        self._insert(id, after, handle)
        place = self.need(after)["position"]
        self.need(id)["position"] = {"x": place["x"], "y": place["y"] + HIGH}
        self._settle(self.after(id))

    def step(self, id: str, by: int) -> None:
        """Change places with the node before or after, where just one comes there."""
        if by > 0:
            ways = [edge for handle in self.handles(id) for edge in self.out(id, handle)]
            if len(ways) != 1:
                raise NotPossible("There is no single step after this one. Choose its place on its page.")
            other = ways[0]["target"]
            on = self.handles(other)
            if not on:
                raise NotPossible("Nothing can come after that step.")
            self.move(id, other, on[-1])
            return
        came = self.into(id)
        if len(came) != 1 or self.need(came[0]["source"])["type"] == TRIGGER:
            raise NotPossible("There is no single step before this one. Choose its place on its page.")
        before = self.into(came[0]["source"])
        if len(before) != 1:
            raise NotPossible("There is no single way to the step before. Choose the place on its page.")
        self.move(id, before[0]["source"], before[0]["sourceHandle"])

    def connect(self, source: str, handle: str, target: str) -> None:
        """Let a way on lead to a node that is there already."""
        self.need(source)
        if self.need(target)["type"] == TRIGGER:
            raise NotPossible("Nothing can lead to the trigger.")
        if source == target or source in self.after(target):
            raise NotPossible("That would go in a circle. Use a loop to do something several times.")
        self._join(source, handle, target)

    def disconnect(self, id: str) -> None:
        self.edges = [edge for edge in self.edges if edge["id"] != id]

    def _is_placed_by_hand(self) -> bool:
        """Tell whether somebody has placed the nodes otherwise than `tidy` does."""
        before = [dict(node["position"]) for node in self.nodes]
        self.tidy()
        tidied = [node["position"] for node in self.nodes]
        if before == tidied or not any(one["x"] or one["y"] for one in before):
            return False
        for node, position in zip(self.nodes, before, strict=True):
            node["position"] = position
        return True

    def _settle(self, later: Iterable[str] = ()) -> None:
        """Place the nodes anew after a change; where somebody has placed them by hand, only make room for one."""
        if not self._by_hand:
            self.tidy()
            return
        for id in later:
            self.need(id)["position"]["y"] += HIGH

    def tidy(self) -> None:
        """Place the nodes in rows from top to bottom, those of a row in the order of the list."""
        order = [line.node["id"] for line in self.lines() if line.kind == "node"]
        row = dict.fromkeys(order, 0)
        for _ in range(len(order)):
            moved = False
            for edge in self.edges:
                source, target = edge["source"], edge["target"]
                if source in row and target in row and row[target] <= row[source] < len(order):
                    row[target], moved = row[source] + 1, True
            if not moved:
                break
        rows: dict[int, list[str]] = {}
        for id in order:
            rows.setdefault(row[id], []).append(id)
        for high, ids in rows.items():
            for place, id in enumerate(ids):
                x = round((place - (len(ids) - 1) / 2) * WIDE)
                self.need(id)["position"] = {"x": x, "y": high * HIGH}


def seeded_handles(type: Mapping[str, Any]) -> list[str]:
    """Return the ways on from a new node of a type."""
    rows: list[Mapping[str, Any]] = next(iter(SEEDS.get(type["type"], {}).values()), [])
    return [*(one["id"] for one in rows), *type["handles"]]


def problems_by_node(validation: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Mapping[str, Any]]]:
    """Return node -> its errors and warnings; those of no node are the workflow's own, under ""."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for one in (*validation.get("errors", ()), *validation.get("warnings", ())):
        found.setdefault(one["nodeId"] or "", []).append(one)
    return found
