"""The part of the schema that an API key reaches: each operation once, with the components that it refers to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.types import JsonObject

MOUNT = "/api/key/protected/"
PREFIX = "key_"
"""Begins the operation ids of the mount, since the whole schema has others too."""
REFERENCE = "#/components/"
DESCRIPTION = "Leads, contacts and the outreach to them, for programs: every request has the header apikey."


def of_programs(schema: JsonObject) -> JsonObject:
    """Return the schema of the key path, with operation ids without their prefix."""
    paths = {
        path: {method: _strip_prefix(operation) for method, operation in item.items()}
        for path, item in schema["paths"].items()
        if path.startswith(MOUNT)
    }
    used_tags = {tag for item in paths.values() for operation in item.values() for tag in operation["tags"]}
    components = schema["components"]
    kept_components: JsonObject = {"securitySchemes": {"apikey": components["securitySchemes"]["apikey"]}}
    waiting = list(references(paths))
    names_done = set()
    while waiting:
        reference = waiting.pop()
        if reference not in names_done:
            names_done.add(reference)
            kind, name = reference.removeprefix(REFERENCE).split("/")
            kept_components.setdefault(kind, {})[name] = components[kind][name]
            waiting += references(components[kind][name])
    return {
        **schema,
        "info": {**schema["info"], "description": DESCRIPTION},
        "tags": [tag for tag in schema["tags"] if tag["name"] in used_tags],
        "paths": paths,
        "components": kept_components,
    }


def _strip_prefix(operation: JsonObject) -> JsonObject:
    return {**operation, "operationId": operation["operationId"].removeprefix(PREFIX)}


def references(value: Any) -> Iterator[str]:
    """Yield the components that a part of the schema refers to."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref" and isinstance(inner, str):
                yield inner
            else:
                yield from references(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from references(inner)


__all__ = ["of_programs", "references"]
