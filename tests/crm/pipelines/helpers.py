"""Pipelines, stages and their ids for tests."""

from __future__ import annotations

from typing import Any

from crm.models import Stage
from tests.kit.cast import Cast

STAGES = [
    {"name": "Asked", "probability": 20},
    {"name": "Offered", "probability": 60},
    {"name": "Ordered", "kind": "won"},
    {"name": "Gone", "kind": "lost"},
]


def make_pipeline(cast: Cast, name: str = "Wholesale", stages: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Create a pipeline through the API."""
    answer = cast.key.post("/pipeline", {"name": name, "stages": stages or STAGES})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def default_pipeline(cast: Cast) -> dict[str, Any]:
    """Return the default pipeline."""
    (pipeline,) = cast.key.get("/pipeline", filters='{"isDefault": true}').data
    return dict(pipeline)


def stage_ids(pipeline: dict[str, Any]) -> dict[str, str]:
    """Return name -> id of a pipeline's stages."""
    return {stage["name"]: stage["_id"] for stage in pipeline["stages"]}


def stage_of_status(status: str) -> Stage:
    """Return the stage of the default pipeline that is a status."""
    return Stage.objects.get(status=status)
