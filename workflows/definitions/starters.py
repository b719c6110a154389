"""Templates: good graphs to start from, a JSON file each in workflows/definitions/templates.

Texts that begin with an at sign stand for values: @me for the member who uses the template, and @<name> for a setting.
The text @email:<key> stands for an email template that is made of an email. References to empty settings are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

import orjson

from core.errors import NamedError
from core.types import JsonObject, Values

FOLDER = Path(__file__).parent / "templates"
MARK = "@"
EMAIL = "@email:"
DRAFT = {
    "triggerEventType": "trigger_event_type",
    "config": "config",
    "schedule": "schedule",
    "nodes": "nodes",
    "edges": "edges",
}
HEAD = '<mjml><mj-head><mj-attributes><mj-text font-size="16px" line-height="1.6" /></mj-attributes></mj-head>'
BODY = '<mj-body background-color="#f4f5f7"><mj-section background-color="#ffffff"><mj-column>'
FOOT = "</mj-column></mj-section></mj-body></mjml>"


@lru_cache(maxsize=1)
def templates() -> dict[str, JsonObject]:
    """Return key -> template: name, description, triggerEventType, config, schedule, nodes and edges.

    Those that send emails have `emails` and `settings` too.
    """
    return {path.stem: orjson.loads(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))}


def get_template(key: str, field: str = "template") -> JsonObject:
    """Return the template that a body names in a field. Raises InvalidInput_400 for an unknown key."""
    template = templates().get(key)
    if template is None:
        keys = ", ".join(templates())
        raise NamedError("InvalidInput_400", f"choose one of {keys}, not {key[:64]!r}", field=field)
    return template


def find_template(key: str) -> JsonObject:
    """Return a template. Raises NotFound_404 for an unknown key."""
    template = templates().get(key)
    if template is None:
        raise NamedError("NotFound_404", "there is no such template of workflows", field="key")
    return template


def draft_from(template: Values, values: Values) -> JsonObject:
    """Return name and draft of a template, with the values in the places of their names."""
    draft = {column: _fill(template[name], values) for name, column in DRAFT.items()}
    return {"name": template["name"], **draft}


def body_of(email: Values) -> str:
    """Return the MJML of an email, a text block for each of its paragraphs."""
    texts = "".join(f"<mj-text>{escape(paragraph, quote=False)}</mj-text>" for paragraph in email["paragraphs"])
    return f"{HEAD}{BODY}{texts}{FOOT}"


def _fill(value: Any, values: Values) -> Any:
    """Return a copy of the value, with the values in the places of their names."""
    if isinstance(value, dict):
        return {key: _fill(item, values) for key, item in value.items()}
    if isinstance(value, list):
        items = [_fill(item, values) for item in value]
        return [item for item in items if not _is_empty(item)] if items != value else items
    if isinstance(value, str) and value.startswith(MARK):
        return values[value.removeprefix(MARK)]
    return value


def _is_empty(item: Any) -> bool:
    """Return whether an item of a list has lost its value: a setting, or a condition on one, that is empty."""
    return item is None or (isinstance(item, Mapping) and item.get("value", item) in ([], None))
