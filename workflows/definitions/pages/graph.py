"""The graph of a draft as its pages change it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.flows.graph import HIGH, FlowGraph, NotPossible

TRIGGER = "trigger"
WORDS = {
    "out": gettext_lazy("Then"),
    "true": gettext_lazy("If yes"),
    "false": gettext_lazy("If no"),
    "else": gettext_lazy("Otherwise"),
    "item": gettext_lazy("For each"),
    "done": gettext_lazy("After the last"),
    "error": gettext_lazy("If the step fails"),
    "exists": gettext_lazy("If the record exists"),
    "event": gettext_lazy("When the event happens"),
    "timeout": gettext_lazy("If time runs out"),
    "none": gettext_lazy("If nothing is found"),
    "found": gettext_lazy("If records are found"),
    "approved": gettext_lazy("If approved"),
    "rejected": gettext_lazy("If rejected"),
    "suppressed": gettext_lazy("If the message can't be sent"),
    "late": gettext_lazy("If the time has passed"),
    "cancelled": gettext_lazy("If cancelled"),
    "held": gettext_lazy("If held"),
    "noShow": gettext_lazy("If a no-show"),
    "failed": gettext_lazy("If the workflow fails"),
    "refused": gettext_lazy("If refused"),
}
"""Handle -> its label."""
SEEDS: dict[str, JsonObject] = {
    "split": {"arms": [{"id": "a", "label": "A", "weight": 50}, {"id": "b", "label": "B", "weight": 50}]},
}
"""Type -> settings that a new node begins with, where it would have no way on without any."""


class Graph(FlowGraph):
    """The graph of a draft, with the changes of forms and of the list."""

    start = TRIGGER
    way_words = WORDS

    def __init__(self, workflow: Values, types: Mapping[str, Values]) -> None:
        super().__init__(workflow, types)
        if not self.nodes:
            self.nodes = [{"id": TRIGGER, "type": TRIGGER, "position": {"x": 0, "y": 0}, "data": {}}]
        self._by_hand = self._is_placed_by_hand()

    def new_handles(self, type: Values) -> list[str]:
        return seeded_handles(type)

    # Changes

    def add(self, type: str, after: str, handle: str, data: Values | None = None) -> str:
        """Insert a new node after a handle, before the handle's present targets. Return its id."""
        if type not in self.types or type == TRIGGER:
            raise NotPossible(_("This step does not exist."))
        self.need(after)
        if handle not in self.handles(after):
            raise NotPossible(_("This connection was deleted by someone else."))
        node_ids = {node["id"] for node in self.nodes}
        id = next(name for number in range(1, 1000) if (name := f"{type}-{number}") not in node_ids)
        place = self.need(after)["position"]
        position = {"x": place["x"], "y": place["y"] + HIGH}
        seed = {"config": copy.deepcopy(SEEDS[type])} if type in SEEDS else {}
        self.nodes.append({"id": id, "type": type, "position": position, "data": dict(data or seed)})
        self._insert(id, after, handle)
        self._settle(self.node_ids_after(id))
        return id

    def _insert(self, id: str, after: str, handle: str) -> None:
        """Connect a handle to a node, and the node to the handle's former targets."""
        ways = self.handles(id)
        rest = self.edges_from(after, handle)
        if ways:
            for edge in rest:
                edge.update(source=id, sourceHandle=ways[0])
        else:
            self.edges = [edge for edge in self.edges if edge not in rest]
        self._join(after, handle, id)

    def _join(self, source: str, handle: str, target: str) -> None:
        id = f"{source}-{handle}-{target}"[:200]
        edge = {"id": id, "source": source, "target": target, "sourceHandle": handle, "targetHandle": "in", "label": ""}
        if not any(other_edge["target"] == target for other_edge in self.edges_from(source, handle)):
            self.edges.append(edge)

    def _take_out(self, id: str) -> None:
        """Lead past a node, from where it is reached to where it goes first."""
        ways = [self.edges_from(id, handle) for handle in self.handles(id)]
        targets = [edge["target"] for edge in next((way for way in reversed(ways) if way), [])]
        edges_in = self.edges_into(id)
        self.edges = [edge for edge in self.edges if id not in (edge["source"], edge["target"])]
        for edge in edges_in:
            for target in targets:
                self._join(edge["source"], edge["sourceHandle"], target)

    def delete(self, id: str) -> None:
        """Delete a node. Its predecessors are connected to its successors."""
        if self.need(id)["type"] == TRIGGER:
            raise NotPossible(_("The trigger can't be deleted. Edit it instead."))
        self._take_out(id)
        self.nodes = [node for node in self.nodes if node["id"] != id]
        self._settle()

    def duplicate(self, id: str) -> str:
        """Put a copy of a node after it. Returns the copy's id."""
        node = self.need(id)
        data = {**node["data"], "label": _("%(label)s (copy)") % {"label": self.label(node)[:190]}}
        ways = self.handles(id)
        if ways:
            return self.add(node["type"], id, ways[-1], data)
        edges_in = self.edges_into(id)
        if not edges_in:
            raise NotPossible(_("Connect this step first."))
        return self.add(node["type"], edges_in[0]["source"], edges_in[0]["sourceHandle"], data)

    def switch(self, id: str) -> bool:
        """Leave a node out of runs, or take it in again. Returns whether it is left out."""
        data = self.need(id)["data"]
        if data.pop("disabled", False) is not True:
            data["disabled"] = True
        return data.get("disabled") is True

    def move(self, id: str, after: str, handle: str) -> None:
        """Put a node after another way on."""
        if self.need(id)["type"] == TRIGGER or id == after:
            raise NotPossible(_("This step can't be placed there."))
        self.need(after)
        self._take_out(id)
        self._insert(id, after, handle)
        place = self.need(after)["position"]
        self.need(id)["position"] = {"x": place["x"], "y": place["y"] + HIGH}
        self._settle(self.node_ids_after(id))

    def step(self, id: str, by: int) -> None:
        """Change places with the node before or after, where just one comes there."""
        if by > 0:
            ways = [edge for handle in self.handles(id) for edge in self.edges_from(id, handle)]
            if len(ways) != 1:
                raise NotPossible(_("Choose the place on the step's page."))
            other = ways[0]["target"]
            on = self.handles(other)
            if not on:
                raise NotPossible(_("The chosen step has no next step."))
            self.move(id, other, on[-1])
            return
        edges_in = self.edges_into(id)
        if len(edges_in) != 1 or self.need(edges_in[0]["source"])["type"] == TRIGGER:
            raise NotPossible(_("Choose the place on the step's page."))
        before = self.edges_into(edges_in[0]["source"])
        if len(before) != 1:
            raise NotPossible(_("Choose the place on the step's page."))
        self.move(id, before[0]["source"], before[0]["sourceHandle"])

    def connect(self, source: str, handle: str, target: str) -> None:
        """Connect a handle to an existing node."""
        self.need(source)
        if self.need(target)["type"] == TRIGGER:
            raise NotPossible(_("No step can lead to the trigger."))
        if source == target or source in self.node_ids_after(target):
            raise NotPossible(_("Steps can't form a circle. Use a loop to repeat steps."))
        self._join(source, handle, target)

    def disconnect(self, id: str) -> None:
        self.edges = [edge for edge in self.edges if edge["id"] != id]

    def _is_placed_by_hand(self) -> bool:
        """Return whether the nodes have other positions than `tidy` gives them."""
        before = [dict(node["position"]) for node in self.nodes]
        self.tidy()
        tidied = [node["position"] for node in self.nodes]
        if before == tidied or not any(place["x"] or place["y"] for place in before):
            return False
        for node, position in zip(self.nodes, before, strict=True):
            node["position"] = position
        return True

    def _settle(self, later: Iterable[str] = ()) -> None:
        """Lay the nodes out again after a change; with positions set by hand, only make space for one."""
        if not self._by_hand:
            self.tidy()
            return
        for id in later:
            self.need(id)["position"]["y"] += HIGH


def seeded_handles(type: Values) -> list[str]:
    """Return the ways on from a new node of a type."""
    rows: list[Values] = next(iter(SEEDS.get(type["type"], {}).values()), [])
    return [*(row["id"] for row in rows), *type["handles"]]
