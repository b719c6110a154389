"""Templates: good graphs to start from, a JSON file each in workflows/definitions/templates."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from core.errors import NamedError
from core.types import JsonObject

FOLDER = Path(__file__).parent / "templates"
ME = "@me"
"""Stands in a template for the member who uses it."""
DRAFT = {
    "triggerEventType": "trigger_event_type",
    "config": "config",
    "schedule": "schedule",
    "nodes": "nodes",
    "edges": "edges",
}


@lru_cache(maxsize=1)
def templates() -> dict[str, JsonObject]:
    """Return key -> template: name, description, triggerEventType, config, schedule, nodes and edges."""
    return {path.stem: orjson.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}


def draft_from(key: str, member_id: str) -> JsonObject:
    """Return name and draft of a template, for a member. Raises InvalidInput_400."""
    template = templates().get(key)
    if template is None:
        keys = ", ".join(templates())
        raise NamedError("InvalidInput_400", f"choose one of {keys}, not {key[:64]!r}", field="template")
    draft = {column: _filled(template[name], member_id) for name, column in DRAFT.items()}
    return {"name": template["name"], **draft}


def _filled(value: Any, member_id: str) -> Any:
    """Return a copy of the value with the member in its places."""
    if isinstance(value, dict):
        return {key: _filled(item, member_id) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, member_id) for item in value]
    return member_id if value == ME else value
