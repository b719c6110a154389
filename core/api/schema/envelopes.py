"""The envelopes of success as named components, so that generated clients have one model for each kind of answer."""

from __future__ import annotations

from drf_spectacular.plumbing import ComponentIdentity, ComponentRegistry, ResolvedComponent

from core.api.endpoint import Endpoint
from core.api.schema.parts import ID_PATTERN
from core.types import JsonObject

_CURSOR = {"type": ["string", "null"], "description": "pass back unchanged as `cursor`; null on the last page"}
_CAPPED = {
    "type": "boolean",
    "description": "true: a search matches more records than totalCount says; absent otherwise",
}
_UNDO = "the bulk job that the change can be undone by, or that makes it; absent when there is nothing to undo"
_QUEUED = "the bulk job that makes the change; absent when it has been made"


def envelope_schema(declared: Endpoint, data: JsonObject) -> JsonObject:
    """Return the schema of an operation's success with this `data`."""
    required: JsonObject = {
        "status": {"type": "string", "const": "success"},
        # No const: generators make an enum of texts of a constant boolean, which no answer has.
        "success": {"type": "boolean", "description": "true"},
        "message": {"type": "string"},
        "data": {"type": "array", "items": data} if declared.many and not declared.list_in else data,
    }
    if declared.many:
        required["totalCount"] = {"type": "integer" if declared.counted else ["integer", "null"]}
        required["nextCursor"] = _CURSOR
    required |= declared.envelope_fields
    optional: JsonObject = {}
    if declared.many:
        optional["totalCountIsCapped"] = _CAPPED
    else:
        optional["warning"] = {"type": "string", "description": "what to know of it; absent when there is nothing"}
    if declared.undoable or declared.queues:
        text = _UNDO if declared.undoable else _QUEUED
        optional["bulkJob"] = {"type": "string", "pattern": ID_PATTERN, "description": text}
    return {"type": "object", "required": list(required), "properties": {**required, **optional}}


def envelope_name(declared: Endpoint, output: str) -> str:
    """Return the component's name: the output's, and what else there is in the answer."""
    kind = "List" if declared.many else ""
    if declared.list_in:
        kind = "Page"
    counted = "" if declared.counted or not declared.many else "Uncounted"
    further = "".join(name[0].upper() + name[1:] for name in declared.envelope_fields)
    if declared.undoable:
        further += "Undoable"
    elif declared.queues:
        further += "Queued"
    return f"{output.removesuffix('Out') or 'Empty'}{counted}{kind}{further}Response"


def register_envelope(registry: ComponentRegistry, name: str, schema: JsonObject) -> dict[str, str]:
    """Add the component unless it is there, and return the reference to it. Another one of its name is a warning."""
    component = ResolvedComponent(name, ResolvedComponent.SCHEMA, schema, ComponentIdentity(schema))  # type: ignore[no-untyped-call]
    registry.register_on_missing(component)
    return component.ref


__all__ = ["envelope_name", "envelope_schema", "register_envelope"]
