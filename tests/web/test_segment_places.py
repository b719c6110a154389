"""The page of a segment names the pipelines and stages of its conditions."""

from __future__ import annotations

import pytest

from crm.models import Stage
from tests.kit.cast import Cast, make_cast
from tests.web.helpers import at, enter, text_of


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def test_stages_and_pipelines_have_their_names(cast: Cast) -> None:
    with cast.scope():
        first, second = Stage.objects.select_related("pipeline").order_by("position")[:2]
    conditions = [
        {"field": "stage", "operator": "in", "value": [first.pk, second.pk]},
        {"field": "pipeline", "operator": "equals", "value": first.pipeline_id},
    ]
    tree = {"operator": "and", "conditions": conditions}
    made = cast.key.post("/segment", {"name": "Early", "panel": "lead", "advancedFilters": tree})
    assert made.status == 201, made.body
    shown = text_of(enter(cast.owner).get(at(cast.owner, f"segments/{made.data['_id']}")))
    assert f"{first.name}, {second.name}" in shown
    assert f"is {first.pipeline.name}" in shown, shown[shown.index(first.name) - 200 :][:500]
    assert (first.pk in shown, "…" in shown) == (False, False)
