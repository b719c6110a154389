"""Write the OpenAPI schema of /api/key/protected, with only the components that it refers to, to generate clients
from."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
from django.core.management.base import BaseCommand
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer

MOUNT = "/api/key/protected/"
PREFIX = "key_"
"""Prefix of operation ids, because the schema has other mounts too."""
REFERENCE = "#/components/"


class Command(BaseCommand):
    help = __doc__

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="where to write it")

    def handle(self, *, file: Path, **options: Any) -> None:
        whole = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
        schema = of_programs(orjson.loads(OpenApiJsonRenderer().render(whole, renderer_context={})))
        file.write_bytes(orjson.dumps(schema))
        self.stdout.write(f"{file}: {len(schema['paths'])} paths, {file.stat().st_size:,} bytes")


def of_programs(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the schema that an API key reaches."""
    paths = {path: item for path, item in schema["paths"].items() if path.startswith(MOUNT)}
    for item in paths.values():
        for operation in item.values():
            operation["operationId"] = operation["operationId"].removeprefix(PREFIX)
    known = schema["components"]
    kept: dict[str, Any] = {"securitySchemes": known["securitySchemes"]}
    found, seen = list(references(paths)), set()
    while found:
        reference = found.pop()
        if reference not in seen:
            seen.add(reference)
            kind, name = reference.removeprefix(REFERENCE).split("/")
            kept.setdefault(kind, {})[name] = known[kind][name]
            found += references(known[kind][name])
    return {**schema, "paths": paths, "components": kept}


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
