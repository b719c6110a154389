"""Segments by the API."""

from __future__ import annotations

from typing import Any

from tests.kit.cast import Cast

PATH = "/segment"


def where(field: str, operator: str, value: Any = None) -> dict[str, Any]:
    return {"operator": "and", "conditions": [{"field": field, "operator": operator, "value": value}]}


def new(cast: Cast, name: str, **values: Any) -> str:
    answer = cast.key.post(PATH, {"name": name, **values})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])
