"""Comparison of two graphs of a workflow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.types import JsonObject, Values

MISSING = object()
Change = JsonObject


def compare(before: Values, after: Values) -> JsonObject:
    """Return the additions, removals and changes from one graph to the other. A node's position is ignored."""
    old, new = ({node["id"]: node for node in graph["nodes"]} for graph in (before, after))
    changed = []
    for id in old.keys() & new.keys():
        changes = list(changes_between(_sense(old[id]), _sense(new[id])))
        if changes:
            changed.append({**_node_entry(new[id]), "changes": changes})
    places = {id: place for place, id in enumerate(new)}
    changed.sort(key=lambda changed_node: places[changed_node["node"]])
    ways, now = ({_way(edge): edge for edge in graph["edges"]} for graph in (before, after))
    settings = ("triggerEventType", "config", "schedule")
    return {
        "added": [_node_entry(node) for id, node in new.items() if id not in old],
        "removed": [_node_entry(node) for id, node in old.items() if id not in new],
        "changed": changed,
        "edges": {
            "added": [_edge_json(edge) for way, edge in now.items() if way not in ways],
            "removed": [_edge_json(edge) for way, edge in ways.items() if way not in now],
        },
        "settings": list(changes_between(_pick(before, settings), _pick(after, settings))),
    }


def changes_between(before: Any, after: Any, path: str = "") -> Iterator[Change]:
    """Yield the changed values, objects by their keys; a missing value is null."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            below = f"{path}.{key}" if path else key
            yield from changes_between(before.get(key, MISSING), after.get(key, MISSING), below)
    elif before is MISSING or after is MISSING or type(before) is not type(after) or before != after:
        yield {
            "path": path,
            "before": None if before is MISSING else before,
            "after": None if after is MISSING else after,
        }


def _sense(node: Values) -> JsonObject:
    """Return the parts of a node that determine its behaviour."""
    return {"type": node["type"], **node["data"]}


def _node_entry(node: Values) -> JsonObject:
    label = node["data"].get("label")
    return {"node": node["id"], "label": label if isinstance(label, str) else "", "type": node["type"]}


def _way(edge: Values) -> tuple[str, str, str]:
    return edge["source"], edge["sourceHandle"], edge["target"]


def _edge_json(edge: Values) -> dict[str, str]:
    return {name: edge[name] for name in ("source", "sourceHandle", "target", "label")}


def _pick(graph: Values, names: tuple[str, ...]) -> JsonObject:
    return {name: graph[name] for name in names}
