"""The OpenAPI schema as `make check` wants it: made without a warning, and valid OpenAPI. The suite finds it made."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import django
import orjson
from django.conf import settings
from django.core.management import call_command
from drf_spectacular import validation
from jsonschema_rs import validator_for


def problems(schema: dict[str, Any]) -> list[str]:
    """Return what is wrong with a schema, by the rules that drf-spectacular has.

    Its own validator, in Python, takes twenty seconds for ours.
    """
    version = "_".join(schema["openapi"].split(".")[:2])
    rules = orjson.loads(Path(validation.__file__).with_name(f"openapi_{version}_schema.json").read_bytes())
    found = validator_for(rules).iter_errors(schema)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message:.300}" for error in found]


def main() -> None:
    django.setup()
    from tests.kit import openapi

    file = settings.BASE_DIR / "var" / "schema.json"
    call_command("spectacular", fail_on_warn=True, format="openapi-json", file=str(file))
    made = file.read_bytes()
    if wrong := problems(orjson.loads(made)):
        sys.exit("The OpenAPI schema is not valid:\n" + "\n".join(wrong[:20]))
    openapi.keep(made)


if __name__ == "__main__":
    main()
