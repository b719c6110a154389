"""The ways on from the nodes of a draft, which need not be right yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import ValidationError

from core.types import Values
from workflows.definitions.catalogue import handles_without_settings
from workflows.nodes.registry import NODE_TYPES

ERROR = "error"


def handles_of(nodes: Iterable[Values]) -> dict[str, list[str]]:
    """Return node -> its handles: by its settings where these are right, else those that its type always has."""
    return {node["id"]: _handles(node["type"], node["data"]) for node in nodes}


def _handles(name: str, data: Values) -> list[str]:
    type = NODE_TYPES.get(name)
    config = data.get("config") or {}
    if type is None:
        return ["out"]
    try:
        handles = list(type.handles(type.config.model_validate(config)))
    except ValidationError:
        handles = [*(_row_ids(config) if isinstance(config, Mapping) else ()), *handles_without_settings(type)]
    policy = data.get("onError")
    if isinstance(policy, Mapping) and policy.get("then") == "branch":
        handles.append(ERROR)
    return list(dict.fromkeys(handles))


def _row_ids(config: Values) -> list[str]:
    """Return the ids of cases and arms."""
    rows = [row for name in ("cases", "arms") if isinstance(config.get(name), list) for row in config[name]]
    return [row["id"] for row in rows if isinstance(row, Mapping) and isinstance(row.get("id"), str)]
