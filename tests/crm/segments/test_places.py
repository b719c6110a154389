"""Segments of leads by pipeline and stage: those that do not exist are refused."""

from __future__ import annotations

from typing import Any

import pytest

from crm.models import Segment, Stage
from tests.kit.cast import Cast, make_cast

NOBODY = "0" * 24


def tree(*conditions: dict[str, Any]) -> dict[str, Any]:
    return {"operator": "and", "conditions": list(conditions)}


@pytest.mark.parametrize(
    ("field", "operator", "value", "error"),
    [
        ("stage", "equals", NOBODY, "StageNotFound_404"),
        ("stage", "notEquals", NOBODY, "StageNotFound_404"),
        ("stage", "in", ["own", NOBODY], "StageNotFound_404"),
        ("stage", "equals", "foreign", "StageNotFound_404"),
        ("pipeline", "equals", NOBODY, "PipelineNotFound_404"),
        ("stage", "in", ["own"], ""),
        ("stage", "isEmpty", None, ""),
        ("stage.name", "equals", NOBODY, ""),
    ],
)
def test_a_condition_names_a_stage_that_exists(cast: Cast, field: str, operator: str, value: Any, error: str) -> None:
    other = make_cast()
    with other.scope():
        foreign = Stage.objects.earliest("pk").pk
    with cast.scope():
        ids = {"own": Stage.objects.earliest("pk").pk, "foreign": foreign}
    value = [ids.get(one, one) for one in value] if isinstance(value, list) else ids.get(value, value)
    condition = {"field": field, "operator": operator} | ({} if value is None else {"value": value})
    nested = tree(tree(condition), {"field": "status", "operator": "equals", "value": "won"})
    body = {"name": "Stages", "panel": "lead", "advancedFilters": nested}
    for caller in (cast.key, cast.session):
        answer = caller.post("/segment", body)
        if error:
            assert (answer.status, answer.body["name"]) == (404, error)
        else:
            assert answer.status == 201, answer.body
            gone = tree({"field": "stage", "operator": "equals", "value": NOBODY})
            assert caller.put(f"/segment/{answer.data['_id']}", {"advancedFilters": gone}).status == 404
            assert caller.delete("/segment", {"ids": [answer.data["_id"]]}).status == 200
    with cast.scope():
        assert not Segment.objects.exists()
