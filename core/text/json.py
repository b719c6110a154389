"""JSON as the API writes it: ObjectIds are strings, times are ISO 8601 in UTC with milliseconds."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import orjson

OPTIONS = orjson.OPT_PASSTHROUGH_DATETIME
FOR_READERS = OPTIONS | orjson.OPT_PASSTHROUGH_SUBCLASS
"""Hands subclasses of str to `json_default`, which translates texts; otherwise orjson writes them in English."""


def format_iso(moment: datetime) -> str:
    """Format a time as the contract does: 2026-01-31T09:00:00.000Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def json_default(value: Any) -> Any:
    """Convert a value that orjson doesn't know."""
    if isinstance(value, str):
        return str(value)[:]  # str() of a SafeString is a SafeString again
    if isinstance(value, datetime):
        return format_iso(value)
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, set | frozenset | list):
        return list(value)
    if isinstance(value, dict):
        return dict(value)
    if isinstance(value, int):
        return int(value)
    return str(value)


def dumps(value: Any, options: int = OPTIONS) -> bytes:
    """Serialize the value to UTF-8 JSON."""
    try:
        return orjson.dumps(value, default=json_default, option=options)
    except orjson.JSONEncodeError:
        # Keys that are no texts: allowing for them takes twice as long, also where there are none.
        return orjson.dumps(value, default=json_default, option=options | orjson.OPT_NON_STR_KEYS)
