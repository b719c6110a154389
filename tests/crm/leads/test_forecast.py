"""The reports about pipelines: forecast, stage conversion, reasons for losses."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from crm.models import Lead, StageChange
from tests.crm.leads.helpers import make
from tests.crm.pipelines.helpers import make_pipeline, stage_ids
from tests.kit.cast import Cast


@pytest.fixture
def stages(cast: Cast) -> dict[str, str]:
    return stage_ids(make_pipeline(cast))


def report(cast: Cast, name: str, by: str) -> dict[str, Any]:
    answer = cast.key.get("/logs/report", reportType=name, by=by)
    assert answer.status == 200, answer.body
    return dict(answer.data)


def rows(found: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(row["label"], *(row[column["key"]] for column in found["columns"])) for row in found["rows"]]


def test_the_forecast_weighs_open_leads_by_month(cast: Cast, stages: dict[str, str]) -> None:
    make(cast, 1, stage=stages["Offered"], formData={"value": 100}, expectedCloseAt="2027-03-31")
    make(cast, 2, stage=stages["Asked"], formData={"value": 50}, expectedCloseAt="2027-03-01")
    make(cast, 3, stage=stages["Asked"], formData={"value": 10}, expectedCloseAt="2027-01-15")
    make(cast, 4, stage=stages["Asked"], formData={"value": 5})
    make(cast, 5, stage=stages["Ordered"], formData={"value": 999}, expectedCloseAt="2027-03-05")
    found = report(cast, "forecast", "month")
    assert rows(found) == [
        ("January 2027", 2, 10, 1),
        ("March 2027", 70, 150, 2),
        ("No date", 1, 5, 1),
    ]
    link = found["rows"][1]["link"]
    listed = cast.key.get("/" + link.partition("?")[0] + "?" + link.partition("?")[2])
    assert len(listed.data) == 2
    assert rows(report(cast, "forecast", "stage"))[0][0] == "Offered", "the weighted value sorts"


def test_stages_tell_conversion_and_time(cast: Cast, stages: dict[str, str]) -> None:
    for number, path in enumerate((("Offered", "Ordered"), ("Offered", "Gone"), ("Gone",)), start=1):
        lead = make(cast, number, stage=stages["Asked"])
        for name in path:
            cast.key.put(f"/lead/{lead['_id']}", {"stage": stages[name]})
    with cast.scope():
        assert Lead.objects.count() == 3
        for change in StageChange.objects.all():
            StageChange.objects.filter(pk=change.pk).update(entered_at=change.changed_at - timedelta(days=2))
    found = {row["label"]: row for row in report(cast, "stages", "stage")["rows"]}
    asked = found["Asked"]
    assert {key: asked[key] for key in asked if key.startswith("stage")} == {
        "stageMoves": 3,
        "stageForward": 2,
        "stageLost": 1,
        "stageConversion": pytest.approx(66.67),
        "stageMeanDays": pytest.approx(2),
    }
    assert (found["Offered"]["stageForward"], found["Offered"]["stageLost"]) == (1, 1)


def test_losses_are_counted_by_reason(cast: Cast, stages: dict[str, str]) -> None:
    reason = cast.key.post("/lost-reason", {"name": "Price"}).data["_id"]
    make(cast, 1, stage=stages["Gone"], lostReason=reason)
    make(cast, 2, stage=stages["Gone"])
    found = {row["label"]: row["lost"] for row in report(cast, "leads", "lostReason")["rows"]}
    assert found == {"Price": 1, "No reason": 1}
