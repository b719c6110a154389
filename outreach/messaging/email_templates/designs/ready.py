"""Ready templates: designs to start from, a JSON file each in email_templates/ready."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import orjson

from core.errors import NamedError, shorten
from core.types import JsonObject

FOLDER = Path(__file__).parent.parent / "ready"


@lru_cache(maxsize=1)
def ready_templates() -> tuple[JsonObject, ...]:
    """Return the ready templates in their order: key, name, about, category, subject and design."""
    rows = [{"key": path.stem, **orjson.loads(path.read_bytes())} for path in FOLDER.glob("*.json")]
    return tuple(sorted(rows, key=lambda row: row["place"]))


def ready_template(key: str) -> JsonObject:
    """Return a ready template. Raises InvalidEmailTemplate_400 for an unknown key."""
    rows = {row["key"]: row for row in ready_templates()}
    if key not in rows:
        text = f"choose one of {', '.join(rows)}, not {shorten(key)!r}"
        raise NamedError("InvalidEmailTemplate_400", text, field="ready")
    return rows[key]
