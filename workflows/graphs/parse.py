"""The shape of a graph as React Flow has it: nodes and edges, checked for form and size, not for sense."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import NamedError, shorten
from core.text.json import dumps
from core.types import JsonObject, Values

MAX_NODES, MAX_EDGES = 200, 400
MAX_GRAPH, MAX_NODE = 1_000_000, 32_000
"""Bytes of a graph, and of one node's data."""
ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
TRIGGER = "trigger"
HANDLE = {"sourceHandle": "out", "targetHandle": "in"}

Graph = tuple[list[JsonObject], list[JsonObject]]


def _refuse(where: str, problem: str) -> NamedError:
    return NamedError("InvalidInput_400", problem, field=where)


def read_graph(nodes: Sequence[Any], edges: Sequence[Any]) -> Graph:
    """Return the nodes and edges, reduced to the parts of a graph, with a trigger in front.

    Raises InvalidInput_400, which names the place.
    """
    if len(nodes) > MAX_NODES:
        raise _refuse("nodes", f"has {len(nodes)} nodes, at most {MAX_NODES} are allowed")
    if len(edges) > MAX_EDGES:
        raise _refuse("edges", f"has {len(edges)} edges, at most {MAX_EDGES} are allowed")
    parsed_nodes = [_node(node, f"nodes[{place}]") for place, node in enumerate(nodes)]
    ids = [node["id"] for node in parsed_nodes]
    twice = next((id for place, id in enumerate(ids) if id in ids[:place]), None)
    if twice is not None:
        raise _refuse("nodes", f"the id {twice!r} is there twice")
    parsed_edges = [_edge(edge, f"edges[{place}]", place) for place, edge in enumerate(edges)]
    if parsed_nodes and not any(node["type"] == TRIGGER for node in parsed_nodes):
        parsed_nodes, parsed_edges = _with_trigger(parsed_nodes, parsed_edges)
    size = len(dumps([parsed_nodes, parsed_edges]))
    # Measured after the reduction: what editors add to a node for themselves does not count.
    if size > MAX_GRAPH:
        raise _refuse("nodes", f"the graph has {size} bytes, at most {MAX_GRAPH} are allowed")
    return parsed_nodes, parsed_edges


def _id(raw: Any, where: str) -> str:
    if not isinstance(raw, str) or not ID.fullmatch(raw):
        raise _refuse(where, "needs a text of 1 to 64 letters, digits, _ or -")
    return raw


def _value_or_default(raw: Values, name: str, default: Any) -> Any:
    """Return a value, of whatever type, or the default where there is none."""
    value = raw.get(name)
    return default if value is None else value


def _text(raw: Any, where: str, most: int = 64) -> str:
    if not isinstance(raw, str) or len(raw) > most or "\0" in raw or not _encodes(raw):
        raise _refuse(where, f"needs a text of at most {most} characters")
    return raw


def _node(raw: Any, where: str) -> JsonObject:
    if not isinstance(raw, Mapping):
        raise _refuse(where, "needs an object with id, type, position and data")
    data = _value_or_default(raw, "data", {})
    if not isinstance(data, dict):
        raise _refuse(f"{where}.data", "needs an object")
    if len(dumps(data)) > MAX_NODE:
        raise _refuse(f"{where}.data", f"is larger than {MAX_NODE} bytes")
    check_plain(data, f"{where}.data")
    _check_data(data, f"{where}.data")
    return {
        "id": _id(raw.get("id"), f"{where}.id"),
        "type": _text(_value_or_default(raw, "type", ""), f"{where}.type"),
        "position": _position(raw.get("position"), f"{where}.position"),
        "data": data,
    }


def _check_data(data: Values, where: str) -> None:
    """Refuse values of a node that are of another kind; their sense is a matter of the validation."""
    for name in ("config", "onError", "pinned"):
        if not isinstance(data.get(name), dict | None):
            raise _refuse(f"{where}.{name}", "needs an object")
    if not isinstance(data.get("disabled"), bool | None):
        raise _refuse(f"{where}.disabled", "needs true or false")
    _text(_value_or_default(data, "label", ""), f"{where}.label", 200)


def check_plain(value: Any, where: str, depth: int = 0) -> None:
    """Refuse values that PostgreSQL cannot store, and too deeply nested ones."""
    if depth > 20:
        raise _refuse(where, "is nested too deeply, at most 20 levels are allowed")
    if isinstance(value, str):
        if "\0" in value or not _encodes(value):
            raise _refuse(where, "holds a text that no record can contain")
    elif isinstance(value, dict):
        for key, item in value.items():
            check_plain(key, where, depth + 1)
            check_plain(item, f"{where}.{shorten(key, 40)}", depth + 1)
    elif isinstance(value, list):
        for item in value:
            check_plain(item, where, depth + 1)


def _encodes(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _position(raw: Any, where: str) -> dict[str, float]:
    if raw is None:
        return {"x": 0, "y": 0}
    if not isinstance(raw, Mapping):
        raise _refuse(where, "needs an object with x and y")
    position = {}
    for axis in ("x", "y"):
        value = raw.get(axis, 0)
        # Also refuses NaN and infinity, which JSON of the database cannot hold.
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e7:
            raise _refuse(f"{where}.{axis}", "needs a number")
        position[axis] = value
    return position


def _edge(raw: Any, where: str, place: int) -> JsonObject:
    if not isinstance(raw, Mapping):
        raise _refuse(where, "needs an object with source and target")
    edge: JsonObject = {
        "id": _text(_value_or_default(raw, "id", ""), f"{where}.id", 200) or f"edge-{place}",
        "source": _id(raw.get("source"), f"{where}.source"),
        "target": _id(raw.get("target"), f"{where}.target"),
    }
    # React Flow leaves handles out where a node has one alone.
    for name, default in HANDLE.items():
        edge[name] = _text(_value_or_default(raw, name, ""), f"{where}.{name}") or default
    edge["label"] = _text(_value_or_default(raw, "label", ""), f"{where}.label", 200)
    return edge


def _with_trigger(nodes: list[JsonObject], edges: list[JsonObject]) -> Graph:
    """Put a trigger before the nodes that nothing leads to."""
    node_ids = {node["id"] for node in nodes}
    id = next(name for name in (TRIGGER, *(f"{TRIGGER}-{n}" for n in range(1, MAX_NODES + 2))) if name not in node_ids)
    reached = {edge["target"] for edge in edges}
    first = [node["id"] for node in nodes if node["id"] not in reached]
    trigger = {"id": id, "type": TRIGGER, "position": {"x": 0, "y": 0}, "data": {}}
    begin = [
        {
            "id": f"{id}-{target}",
            "source": id,
            "target": target,
            "sourceHandle": "out",
            "targetHandle": "in",
            "label": "",
        }
        for target in first
    ]
    return [trigger, *nodes], [*begin, *edges]
