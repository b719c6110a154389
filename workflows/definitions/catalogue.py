"""The editor's catalogue: node types with the schemas of their settings, triggers, filters and limits."""

from __future__ import annotations

from functools import lru_cache

from pydantic import BaseModel

from core.types import JsonObject
from workflows.engine.cursor import MAX_STATE
from workflows.engine.interpreter import MAX_STEPS
from workflows.expressions.compile import MAX_FILTERS, ROOTS
from workflows.expressions.filters import FILTERS, MAX_TEXT_LENGTH
from workflows.graphs import parse
from workflows.graphs.events import OTHERS, TRIGGER_EVENTS, label_of
from workflows.graphs.plan import MAX_LOOP_DEPTH
from workflows.graphs.settings import ErrorPolicy, Schedule, WorkflowConfig
from workflows.nodes.base import MAX_OUTPUT, NodeType
from workflows.nodes.registry import NODE_TYPES


@lru_cache(maxsize=1)
def catalogue() -> JsonObject:
    """Return the catalogue, which is the same for all companies."""
    models: dict[str, type[BaseModel]] = {"config": WorkflowConfig, "schedule": Schedule, "onError": ErrorPolicy}
    return {
        "nodes": [_node(node_type) for node_type in NODE_TYPES.values()],
        "triggers": [{"kind": kind, "label": label_of(kind)} for kind in (*OTHERS, *sorted(TRIGGER_EVENTS))],
        "filters": [{"name": name, "arguments": [fewest, most]} for name, (_, fewest, most) in FILTERS.items()],
        "roots": list(ROOTS),
        "settings": {name: model.model_json_schema(by_alias=True) for name, model in models.items()},
        "limits": {
            "nodes": parse.MAX_NODES,
            "edges": parse.MAX_EDGES,
            "graphBytes": parse.MAX_GRAPH,
            "nodeBytes": parse.MAX_NODE,
            "stepsOfRun": MAX_STEPS,
            "stateBytes": MAX_STATE,
            "outputBytes": MAX_OUTPUT,
            "loopDepth": MAX_LOOP_DEPTH,
            "filters": MAX_FILTERS,
            "textCharacters": MAX_TEXT_LENGTH,
        },
    }


def _node(node_type: NodeType) -> JsonObject:
    return {
        "type": node_type.type,
        "version": node_type.version,
        "group": node_type.group,
        "label": node_type.label,
        "help": node_type.help,
        "icon": node_type.icon,
        "schema": node_type.schema,
        "handles": handles_without_settings(node_type),
        "handlesFrom": {"switch": "cases", "split": "arms"}.get(node_type.type),
        "outputs": dict(node_type.outputs),
        "expressions": list(node_type.templates),
    }


ASKING = {
    "ai": ["out", "refused"],
    "waitFor": ["event", "timeout"],
    "approval": ["approved", "rejected", "timeout"],
    "workflow": ["out", "failed", "timeout"],
    "meetingTime": ["out", "late", "cancelled"],
}


def handles_without_settings(node_type: NodeType) -> list[str]:
    """Return the handles that the type has with any settings."""
    try:
        return list(node_type.handles(None))
    except AttributeError:
        return {"switch": ["else"], "split": [], **ASKING}.get(node_type.type, ["out"])
