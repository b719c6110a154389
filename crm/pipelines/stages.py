"""The stages of a company's pipelines, and the status and stage that a lead has together.

In the default pipeline each stage is a status. In any other, a status only says that the lead is open, won or lost.
So clients that know statuses alone read and write these leads, too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from core.types import JsonObject, Values
from crm.pipelines.models import Stage

Kind = Stage.Kind
WON, LOST = "won", "lost"
"""The statuses of leads that are won or lost, in every company."""
PLACE = ("pipeline_id", "stage_id", "status", "lost_reason_id")
"""The columns of a lead that fit together."""


class StageRow(NamedTuple):
    """A stage of a pipeline."""

    id: str
    pipeline_id: str
    name: str
    kind: str
    status: str | None


@dataclass(slots=True)
class Stages:
    """The stages of the active company by id, in the order of their pipelines."""

    default_pipeline: str | None = None
    by_id: dict[str, StageRow] = field(default_factory=dict)
    by_status: dict[str, StageRow] = field(default_factory=dict)
    """The stages of the default pipeline."""
    closed: Collection[str] = frozenset()
    """The statuses of leads that are not open."""
    first_status: str = "new"
    """The status of open leads in other pipelines."""

    @classmethod
    def load(cls) -> Self:
        """Read the stages with one statement."""
        stages = cls()
        columns = ("pk", "pipeline_id", "name", "kind", "status", "pipeline__is_default")
        rows = Stage.objects.order_by("pipeline__created_at", "pipeline_id", "position", "pk").values_list(*columns)
        for *values, is_default in rows:
            stage = StageRow._make(values)
            stages.by_id[stage.id] = stage
            if is_default:
                stages.default_pipeline = stage.pipeline_id
            if stage.status is not None:
                stages.by_status[stage.status] = stage
        return stages

    def of_pipeline(self, pipeline: str) -> list[StageRow]:
        """Return the stages of a pipeline in order; none for one that the company lacks."""
        return [stage for stage in self.by_id.values() if stage.pipeline_id == pipeline]

    def first(self, pipeline: str, kind: str) -> StageRow | None:
        """Return the first stage of this kind in a pipeline."""
        return next((stage for stage in self.of_pipeline(pipeline) if stage.kind == kind), None)

    def kind_of(self, status: str | None) -> str:
        """Return the kind of stages that a status stands for."""
        if status == WON:
            return Kind.WON
        return Kind.LOST if status in self.closed else Kind.OPEN

    def status_of(self, stage: StageRow, status: str | None) -> str:
        """Return the status of a lead that has `status` and comes to the stage."""
        if stage.status is not None:
            return stage.status
        if status and self.kind_of(status) == stage.kind:
            return status
        return {Kind.WON: WON, Kind.LOST: LOST}.get(Kind(stage.kind), self.first_status)

    def settle(self, was: Values, now: Values) -> JsonObject:
        """Return the columns of PLACE that have to change with those that differ between `was` and `now`.

        A stage decides about the status, and a pipeline about the stage. Of a new lead `was` is empty.
        """
        settled: JsonObject = {}
        if _has_new_value("stage_id", was, now) and now["stage_id"] in self.by_id:
            settled = self._columns_of(self.by_id[now["stage_id"]], now)
        elif _has_new_value("pipeline_id", was, now) and now["pipeline_id"]:
            kind = self.kind_of(now.get("status"))
            stage = self.first(now["pipeline_id"], kind)
            settled = self._columns_of(stage, now) if stage else {}
        elif _has_new_value("status", was, now) or not was:
            settled = self._by_status(was, now)
        place = {**now, **settled}
        if not place.get("pipeline_id"):
            settled["pipeline_id"] = self.default_pipeline
        if place.get("lost_reason_id") and self.kind_of(place.get("status")) != Kind.LOST:
            settled["lost_reason_id"] = None
        return {column: value for column, value in settled.items() if now.get(column) != value}

    def _columns_of(self, stage: StageRow, now: Values) -> JsonObject:
        status = self.status_of(stage, now.get("status"))
        return {"pipeline_id": stage.pipeline_id, "stage_id": stage.id, "status": status}

    def _by_status(self, was: Values, now: Values) -> JsonObject:
        """Return the place of a lead that got another status."""
        present = self.by_id.get(was.get("stage_id") or "")
        if present is not None and present.status is None:
            kind = self.kind_of(now["status"])
            stage = present if present.kind == kind else self.first(present.pipeline_id, kind)
            return {"pipeline_id": present.pipeline_id, "stage_id": (stage or present).id}
        stage = self.by_status.get(now.get("status") or "")
        return {"pipeline_id": self.default_pipeline, "stage_id": stage.id if stage else None}

    def becomes_lost(self, was: Values, now: Values) -> bool:
        """Return whether a lead that was not lost is now."""
        return self.kind_of(now.get("status")) == Kind.LOST and self.kind_of(was.get("status")) != Kind.LOST


def _has_new_value(column: str, was: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    return bool(now.get(column)) and now.get(column) != was.get(column)
