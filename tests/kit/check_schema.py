"""Checks of the OpenAPI schema in `make check`: built without a warning, and valid by openapi-spec-validator.

The suite then uses the built schema.
"""

from __future__ import annotations

import sys
from typing import Any

import django
import orjson
from django.conf import settings
from django.core.management import call_command
from openapi_spec_validator import OpenAPIV31SpecValidator


def problems(schema: dict[str, Any]) -> list[str]:
    """Return the errors that openapi-spec-validator has for a schema: of OpenAPI, and of JSON Schema inside of it."""
    found = OpenAPIV31SpecValidator(schema).iter_errors()
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message:.300}" for error in found]


def main() -> None:
    django.setup()
    from config.api_docs.programs import of_programs
    from tests.kit import openapi

    path = openapi.file_of_sources()
    file = settings.BASE_DIR / "var" / "schema.json"
    call_command("spectacular", fail_on_warn=True, format="openapi-json", file=str(file))
    content = file.read_bytes()
    schema = orjson.loads(content)
    for name, part in (("whole", schema), ("key", of_programs(schema))):
        if wrong := problems(part):
            sys.exit(f"The OpenAPI schema ({name}) is not valid:\n" + "\n".join(wrong[:20]))
    openapi.store(content, path)


if __name__ == "__main__":
    main()
