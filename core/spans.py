"""Spans of time as requests write them: {"amount": 3, "unit": "days"}."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from core.errors import NamedError
from core.lists.operators import shift

UNITS = ("seconds", "minutes", "hours", "days", "weeks", "months")
MOST = 100_000
"""The largest amount."""
HINT = f'needs {{"amount": 3, "unit": "days"}}; units: {", ".join(UNITS)}'


def read_span(raw: Any, where: str) -> dict[str, Any]:
    """Return the checked span. Raises InvalidPayload_400, which names `where` it stands."""
    if not isinstance(raw, dict) or set(raw) != {"amount", "unit"}:
        raise NamedError("InvalidPayload_400", f"{where}: {HINT}")
    amount, unit = raw["amount"], raw["unit"]
    if not isinstance(amount, int) or isinstance(amount, bool) or not 1 <= amount <= MOST:
        raise NamedError("InvalidPayload_400", f"{where}.amount: must be a whole number from 1 to {MOST:,}")
    if unit not in UNITS:
        raise NamedError("InvalidPayload_400", f"{where}.unit: must be one of {', '.join(UNITS)}")
    return {"amount": amount, "unit": unit}


def after(moment: datetime, span: Mapping[str, Any]) -> datetime:
    """Return the moment a span later. A day that the month lacks becomes its last day."""
    return shift(moment, span["amount"], span["unit"])
