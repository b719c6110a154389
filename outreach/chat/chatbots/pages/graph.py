"""A chatbot as a graph, and a graph as a chatbot.

A chatbot sends one text after the other, so its steps are stored in their order. Edges and positions follow from them.
Keywords of one weight and rank are one step.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from core.text.translation import gettext_lazy
from core.types import JsonObject, Values
from core.web.flows.graph import HIGH, WIDE, FlowGraph, Line, rows_of
from outreach.chat.chatbots.pages.types import END, FINISHED, KEYWORDS, RULES, START, TEXT, TYPES

PLAIN_RULE: JsonObject = {"text": "", "messageCount": 0, "minutes": 0}
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
    way_words = {"out": gettext_lazy("Replies"), "watch": gettext_lazy("Handover rules")}

    def __init__(self, bot: Values, nodes: Sequence[Values] | None = None) -> None:
        """Draw a chatbot; with `nodes` those in the place of its own, in their order."""
        steps = [*steps_of(bot)] if nodes is None else [*nodes]
        edges, places = _edges_and_positions(steps)
        handles = {step["id"]: list(TYPES[step["type"]]["handles"]) for step in steps}
        placed = [{**step, "position": places[step["id"]]} for step in steps]
        super().__init__({"nodes": placed, "edges": edges, "handles": handles}, TYPES)

    def handles(self, id: str) -> list[str]:
        return list(self._handles.get(id, ()))

    def words(self, node: Values, handle: str) -> str:
        return super().words(node, handle) if node["type"] == START else gettext("Then")

    def lines(self) -> list[Line]:
        """Return the nested list. Ways that the canvas does not offer, as from keywords on, lead on all the same."""
        own = self._handles
        self._handles = {**own, **{edge["source"]: ["out"] for edge in self.edges if not own[edge["source"]]}}
        try:
            return super().lines()
        finally:
            self._handles = own

    def of_type(self, *types: str) -> list[JsonObject]:
        return [node for node in self.nodes if node["type"] in types]

    def node_of(self, path: str) -> str:
        """Return the node that a problem of the API refers to."""
        if match := OF_RULE.match(path):
            return f"rule-{int(match[1]) + 1}"
        if match := OF_KEYWORD.match(path):
            steps = self.of_type(KEYWORDS)
            place = int(match[1])
            return next((node["id"] for node in steps if place in node["data"].get("places", ())), START)
        return START


def steps_of(bot: Values) -> list[JsonObject]:
    """Return the steps of a chatbot, in their order."""
    limits = {name: bot["attachments"].get(name) for name in ("custom", "maxFileSizeMb")}
    first = {name: bot[name] for name in ("name", "description", "kind")} | dict(bot["routing"]) | limits
    steps = [_node(START, START, first)]
    weights: dict[tuple[float, float], list[int]] = {}
    for place, entry in enumerate(bot["keywords"]):
        weights.setdefault((entry.get("weight", 0), entry.get("rank", 0)), []).append(place)
    for number, ((weight, rank), places) in enumerate(weights.items(), 1):
        keywords = [bot["keywords"][place]["keyword"] for place in places]
        step = _node(f"{KEYWORDS}-{number}", KEYWORDS, {"words": keywords, "weight": weight, "rank": rank})
        step["data"]["places"] = places
        steps.append(step)
    for number, text in enumerate(_texts(bot), 1):
        step = _node(f"{TEXT}-{number}", TEXT, {"text": text})
        step["data"]["label"] = gettext("Text %(number)s") % {"number": number}
        steps.append(step)
    for number, entry in enumerate(bot["handover"].get("rules", ()), 1):
        config = {IN_FORM.get(name, name): entry[name] for name in PLAIN_RULE if entry.get(name)}
        step = _node(f"rule-{number}", entry["type"], config)
        if not entry.get("enabled", True):
            step["data"]["disabled"] = True
        steps.append(step)
    return [*steps, _node(END, END, {"mode": bot["handover"].get("mode", "any")})]


def _node(id: str, type: str, config: Values) -> JsonObject:
    return {"id": id, "type": type, "data": {"config": dict(config)}}


def _texts(bot: Values) -> list[str]:
    return [row["text"] for row in sorted(bot["conversations"], key=lambda row: row.get("order", 0))]


def _edges_and_positions(steps: Sequence[Values]) -> tuple[list[JsonObject], dict[str, dict[str, int]]]:
    """Return the edges between steps, and their positions: texts on the left, rules that watch on the right."""

    def ids(*types: str) -> list[str]:
        return [step["id"] for step in steps if step["type"] in types]

    texts = ids(TEXT)
    keywords = ids(KEYWORDS)
    finished = ids(FINISHED)
    watching = ids(*(type for type in RULES if type != FINISHED))
    rows = [[START], *([keywords] if keywords else []), *([step] for step in texts), *([finished] if finished else [])]
    pairs = [("out", above, below) for above, below in _next_to_each_other([*rows, [END]])]
    pairs += [("watch", START, step) for step in watching] + [("out", step, END) for step in watching]
    edges = [
        {
            "id": f"{step}-{handle}-{other}",
            "source": step,
            "target": other,
            "sourceHandle": handle,
            "targetHandle": "in",
        }
        for handle, step, other in pairs
    ]
    left = -WIDE // 2 if watching else 0
    last = max(len(rows) - 1, 1)
    places = {START: {"x": 0, "y": 0}, END: {"x": 0, "y": (last + 1) * HIGH}}
    for high, row in enumerate(rows[1:], 1):
        for place, id in enumerate(row):  # the last one is aligned with the next row
            places[id] = {"x": left + (place - len(row) + 1) * WIDE, "y": high * HIGH}
    for place, id in enumerate(watching):
        places[id] = {"x": WIDE // 2 + place * WIDE, "y": last * HIGH}
    return edges, places


def _next_to_each_other(rows: Sequence[Sequence[str]]) -> list[tuple[str, str]]:
    return [(first, other) for above, below in zip(rows, rows[1:], strict=False) for first in above for other in below]


def read_steps(nodes: Any, edges: Any) -> list[JsonObject] | None:
    """Return the steps that a canvas sent, in the order in which its edges lead; None for invalid data."""
    if not isinstance(nodes, list) or not isinstance(edges, list) or not 0 < len(nodes) <= MAX_STEPS:
        return None
    if not all(_is_step(part) for part in nodes) or not all(_is_edge(part) for part in edges):
        return None
    row = rows_of([part["id"] for part in nodes], edges)
    return sorted(nodes, key=lambda part: row[part["id"]] if part["type"] == TEXT else 0)


def _is_step(step: Any) -> bool:
    if not isinstance(step, dict) or not isinstance(step.get("id"), str) or step.get("type") not in list(TYPES):
        return False
    data = step.get("data")
    config = data.get("config") or {} if isinstance(data, dict) else None
    if not isinstance(config, dict):
        return False
    keywords = config.get("words") or []
    return isinstance(keywords, list) and all(isinstance(word, str) for word in keywords)


def _is_edge(edge: Any) -> bool:
    return isinstance(edge, dict) and all(isinstance(edge.get(name), str) for name in ("source", "target"))


def body_of(bot: Values, nodes: Sequence[Values]) -> tuple[JsonObject, dict[str, str]]:
    """Return the changes that give a chatbot these steps, and step -> its new id."""
    renamed: dict[str, str] = {}
    config = {node["id"]: node["data"].get("config") or {} for node in nodes}
    first = next((config[node["id"]] for node in nodes if node["type"] == START), {})
    end = next((config[node["id"]] for node in nodes if node["type"] == END), {})
    texts = [node for node in nodes if node["type"] == TEXT]
    for number, node in enumerate(texts, 1):
        renamed[node["id"]] = f"{TEXT}-{number}"
    said = [config[node["id"]].get("text", "") for node in texts]
    rules = []
    for number, node in enumerate([node for node in nodes if node["type"] in RULES], 1):
        renamed[node["id"]] = f"rule-{number}"
        enabled = node["data"].get("disabled") is not True
        own = config[node["id"]]
        values = {name: own.get(IN_FORM.get(name, name)) or none for name, none in PLAIN_RULE.items()}
        rules.append({"type": node["type"], "enabled": enabled, **values})
    body: JsonObject = {name: first.get(name, "") for name in ("name", "description", "kind")}
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
    changed = {name: body[name] for name in PARTS if not _includes(body[name], bot[name])}
    return changed, renamed


def _includes(first: Any, other: Any) -> bool:
    if isinstance(first, Mapping) and isinstance(other, Mapping):
        return all(other.get(name) == value for name, value in first.items())
    return bool(first == other)


def _keywords(bot: Values, nodes: Sequence[Values], renamed: dict[str, str]) -> list[JsonObject]:
    """Return the keywords of the steps. Those that were there keep their order."""
    order: dict[tuple[Any, ...], int] = {}
    for place, entry in enumerate(bot["keywords"]):
        order.setdefault((entry["keyword"], entry.get("weight", 0), entry.get("rank", 0)), place)
    rows = []
    for entry in nodes:
        if entry["type"] == KEYWORDS:
            config = entry["data"].get("config") or {}
            weight, rank = config.get("weight") or 0, config.get("rank") or 0
            rows += [(word, weight, rank, entry["id"]) for word in config.get("words") or ()]
    rows.sort(key=lambda row: order.get(row[:3], len(order)))
    groups: dict[tuple[Any, Any], str] = {}
    for _, weight, rank, id in rows:
        renamed[id] = groups.setdefault((weight, rank), f"{KEYWORDS}-{len(groups) + 1}")
    return [{"keyword": word, "weight": weight, "rank": rank} for word, weight, rank, _ in rows]
