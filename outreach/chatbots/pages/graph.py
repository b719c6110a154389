"""A chatbot as a graph, and a graph as a chatbot.

A chatbot sends one text after the other, so its steps are stored in their order. Edges and positions follow from them.
Keywords of one weight and rank are one step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.web.flows.graph import HIGH, WIDE, FlowGraph, Line, rows_of
from outreach.chatbots.pages.types import END, FINISHED, KEYWORDS, RULES, START, TEXT, TYPES

PLAIN_RULE: dict[str, Any] = {"text": "", "messageCount": 0, "minutes": 0}
IN_FORM = {"text": "phrase"}
"""Key of a rule -> its name in the form: a text of several lines is something else there."""
PARTS = ("name", "description", "kind", "conversations", "keywords", "handover", "routing", "attachments")
MAX_STEPS = 400
"""Steps, which is more than any chatbot has."""
OF_RULE = re.compile(r"handover\.rules\.(\d+)")
OF_KEYWORD = re.compile(r"keywords\.(\d+)")


class BotGraph(FlowGraph):
    """The steps of a chatbot."""

    start = START
    fixed = frozenset({END})
    way_words = {"out": "Answers", "watch": "Meanwhile"}

    def __init__(self, bot: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]] | None = None) -> None:
        """Draw a chatbot; with `nodes` those in the place of its own, in their order."""
        steps = [*steps_of(bot)] if nodes is None else [*nodes]
        edges, places = _drawn(steps)
        handles = {one["id"]: list(TYPES[one["type"]]["handles"]) for one in steps}
        placed = [{**one, "position": places[one["id"]]} for one in steps]
        super().__init__({"nodes": placed, "edges": edges, "handles": handles}, TYPES)

    def handles(self, id: str) -> list[str]:
        return list(self._handles.get(id, ()))

    def words(self, node: Mapping[str, Any], handle: str) -> str:
        return super().words(node, handle) if node["type"] == START else "Then"

    def lines(self) -> list[Line]:
        """Return the nested list. Ways that the canvas does not offer, as from keywords on, lead on all the same."""
        own = self._handles
        self._handles = {**own, **{edge["source"]: ["out"] for edge in self.edges if not own[edge["source"]]}}
        try:
            return super().lines()
        finally:
            self._handles = own

    def of_type(self, *types: str) -> list[dict[str, Any]]:
        return [one for one in self.nodes if one["type"] in types]

    def node_of(self, path: str) -> str:
        """Return the node that a problem of the API refers to."""
        if found := OF_RULE.match(path):
            return f"rule-{int(found[1]) + 1}"
        if found := OF_KEYWORD.match(path):
            steps = self.of_type(KEYWORDS)
            place = int(found[1])
            return next((one["id"] for one in steps if place in one["data"].get("places", ())), START)
        return START


def steps_of(bot: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the steps of a chatbot, in their order."""
    limits = {name: bot["attachments"].get(name) for name in ("custom", "maxFileSizeMb")}
    first = {name: bot[name] for name in ("name", "description", "kind")} | dict(bot["routing"]) | limits
    steps = [_node(START, START, first)]
    weights: dict[tuple[float, float], list[int]] = {}
    for place, one in enumerate(bot["keywords"]):
        weights.setdefault((one.get("weight", 0), one.get("rank", 0)), []).append(place)
    for number, ((weight, rank), places) in enumerate(weights.items(), 1):
        words = [bot["keywords"][place]["keyword"] for place in places]
        made = _node(f"{KEYWORDS}-{number}", KEYWORDS, {"words": words, "weight": weight, "rank": rank})
        made["data"]["places"] = places
        steps.append(made)
    for number, text in enumerate(_texts(bot), 1):
        made = _node(f"{TEXT}-{number}", TEXT, {"text": text})
        made["data"]["label"] = f"Text {number}"
        steps.append(made)
    for number, one in enumerate(bot["handover"].get("rules", ()), 1):
        config = {IN_FORM.get(name, name): one[name] for name in PLAIN_RULE if one.get(name)}
        made = _node(f"rule-{number}", one["type"], config)
        if not one.get("enabled", True):
            made["data"]["disabled"] = True
        steps.append(made)
    return [*steps, _node(END, END, {"mode": bot["handover"].get("mode", "any")})]


def _node(id: str, type: str, config: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": id, "type": type, "data": {"config": dict(config)}}


def _texts(bot: Mapping[str, Any]) -> list[str]:
    return [one["text"] for one in sorted(bot["conversations"], key=lambda one: one.get("order", 0))]


def _drawn(steps: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, dict[str, int]]]:
    """Return the edges between steps, and their positions: texts on the left, rules that watch on the right."""

    def ids(*types: str) -> list[str]:
        return [one["id"] for one in steps if one["type"] in types]

    texts = ids(TEXT)
    keywords = ids(KEYWORDS)
    finished = ids(FINISHED)
    watching = ids(*(type for type in RULES if type != FINISHED))
    rows = [[START], *([keywords] if keywords else []), *([one] for one in texts), *([finished] if finished else [])]
    pairs = [("out", above, below) for above, below in _next_to_each_other([*rows, [END]])]
    pairs += [("watch", START, one) for one in watching] + [("out", one, END) for one in watching]
    edges = [
        {"id": f"{one}-{handle}-{other}", "source": one, "target": other, "sourceHandle": handle, "targetHandle": "in"}
        for handle, one, other in pairs
    ]
    left = -WIDE // 2 if watching else 0
    last = max(len(rows) - 1, 1)
    places = {START: {"x": 0, "y": 0}, END: {"x": 0, "y": (last + 1) * HIGH}}
    for high, row in enumerate(rows[1:], 1):
        for place, id in enumerate(row):  # the last one stands above what comes next, the others beside it
            places[id] = {"x": left + (place - len(row) + 1) * WIDE, "y": high * HIGH}
    for place, id in enumerate(watching):
        places[id] = {"x": WIDE // 2 + place * WIDE, "y": last * HIGH}
    return edges, places


def _next_to_each_other(rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    return [(one, other) for above, below in zip(rows, rows[1:], strict=False) for one in above for other in below]


def read_steps(nodes: Any, edges: Any) -> list[dict[str, Any]] | None:
    """Return the steps that a canvas sent, in the order in which its edges lead; None for invalid data."""
    if not isinstance(nodes, list) or not isinstance(edges, list) or not 0 < len(nodes) <= MAX_STEPS:
        return None
    if not all(_is_step(one) for one in nodes) or not all(_is_edge(one) for one in edges):
        return None
    row = rows_of([one["id"] for one in nodes], edges)
    return sorted(nodes, key=lambda one: row[one["id"]] if one["type"] == TEXT else 0)


def _is_step(one: Any) -> bool:
    if not isinstance(one, dict) or not isinstance(one.get("id"), str) or one.get("type") not in list(TYPES):
        return False
    data = one.get("data")
    config = data.get("config") or {} if isinstance(data, dict) else None
    if not isinstance(config, dict):
        return False
    words = config.get("words") or []
    return isinstance(words, list) and all(isinstance(word, str) for word in words)


def _is_edge(one: Any) -> bool:
    return isinstance(one, dict) and all(isinstance(one.get(name), str) for name in ("source", "target"))


def body_of(bot: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the changes that give a chatbot these steps, and step -> its new id."""
    renamed: dict[str, str] = {}
    config = {one["id"]: one["data"].get("config") or {} for one in nodes}
    first = next((config[one["id"]] for one in nodes if one["type"] == START), {})
    end = next((config[one["id"]] for one in nodes if one["type"] == END), {})
    texts = [one for one in nodes if one["type"] == TEXT]
    for number, one in enumerate(texts, 1):
        renamed[one["id"]] = f"{TEXT}-{number}"
    said = [config[one["id"]].get("text", "") for one in texts]
    rules = []
    for number, one in enumerate([one for one in nodes if one["type"] in RULES], 1):
        renamed[one["id"]] = f"rule-{number}"
        enabled = one["data"].get("disabled") is not True
        own = config[one["id"]]
        values = {name: own.get(IN_FORM.get(name, name)) or none for name, none in PLAIN_RULE.items()}
        rules.append({"type": one["type"], "enabled": enabled, **values})
    body: dict[str, Any] = {name: first.get(name, "") for name in ("name", "description", "kind")}
    body |= {
        "conversations": bot["conversations"]
        if said == _texts(bot)
        else [{"text": text, "order": place} for place, text in enumerate(said, 1)],
        "keywords": _keywords(bot, nodes, renamed),
        "handover": {"mode": end.get("mode", "any"), "rules": rules},
        "routing": {
            "label": first.get("label", ""),
            **{name: first.get(name, True) for name in ("allowLeave", "allowEnter")},
        },
        "attachments": {
            "custom": first.get("custom", False),
            **({"maxFileSizeMb": first["maxFileSizeMb"]} if first.get("maxFileSizeMb") else {}),
        },
    }
    changed = {name: body[name] for name in PARTS if not _same(body[name], bot[name])}
    return changed, renamed


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return all(other.get(name) == value for name, value in one.items())
    return bool(one == other)


def _keywords(
    bot: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]], renamed: dict[str, str]
) -> list[dict[str, Any]]:
    """Return the keywords of the steps. Those that were there keep their order."""
    known: dict[tuple[Any, ...], int] = {}
    for place, one in enumerate(bot["keywords"]):
        known.setdefault((one["keyword"], one.get("weight", 0), one.get("rank", 0)), place)
    rows = []
    for one in nodes:
        if one["type"] == KEYWORDS:
            config = one["data"].get("config") or {}
            weight, rank = config.get("weight") or 0, config.get("rank") or 0
            rows += [(word, weight, rank, one["id"]) for word in config.get("words") or ()]
    rows.sort(key=lambda row: known.get(row[:3], len(known)))
    groups: dict[tuple[Any, Any], str] = {}
    for _, weight, rank, id in rows:
        renamed[id] = groups.setdefault((weight, rank), f"{KEYWORDS}-{len(groups) + 1}")
    return [{"keyword": word, "weight": weight, "rank": rank} for word, weight, rank, _ in rows]
