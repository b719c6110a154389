"""Names in the API: camelCase in bodies, answers and warnings, snake_case inside."""

from __future__ import annotations

import re

SPECIAL = {"id": "_id", "unique_field_id": "uniqueFieldID"}


def to_camel_case(name: str) -> str:
    """Convert `field_type` to `fieldType`, as callers know it."""
    return SPECIAL.get(name) or re.sub(r"_([a-z0-9])", lambda match: match[1].upper(), name)
