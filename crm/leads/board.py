"""The board of a pipeline: its stages with the numbers and amounts of their leads."""

from __future__ import annotations

from django.db.models import Count, F, QuerySet, Sum
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from core.api.output import Computed, IdField, Output
from core.errors import NamedError
from core.types import JsonObject, Values
from crm.leads.models import Lead
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.pipelines.services import NOT_FOUND
from crm.tags.serializers import NamedModelSnapshot

PIPELINE = OpenApiParameter("pipeline", str, description="id of the pipeline; the default one unless given")


class BoardStage(Output):
    """A stage with the leads in it that the request selects."""

    _id = IdField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=Stage.Kind.values)
    probability = serializers.IntegerField(help_text="percent")
    status = serializers.CharField(allow_null=True, help_text="in the default pipeline alone")
    count = Computed(serializers.IntegerField())
    sum = Computed(serializers.FloatField(help_text="of the leads' value, in the company's currency"))
    weighted = Computed(serializers.FloatField(help_text="the sum weighted by the probability"))


class BoardPipeline(NamedModelSnapshot):
    """A pipeline that the company has."""

    isDefault = serializers.BooleanField()


class BoardOut(Output):
    """The stages of a pipeline, and what a move needs to offer."""

    pipeline = Computed(BoardPipeline())
    stages = Computed(serializers.ListField(child=BoardStage()))
    pipelines = Computed(serializers.ListField(child=BoardPipeline(), help_text="all pipelines, the default one first"))
    lostReasons = Computed(serializers.ListField(child=NamedModelSnapshot(), help_text="by name, at most 200"))


def read_board(rows: QuerySet[Lead], id: str) -> JsonObject:
    """Return the board of the pipeline with this id, of these leads. Raises PipelineNotFound_404."""
    pipelines = [
        {"_id": pipeline.pk, "name": pipeline.name, "isDefault": pipeline.is_default}
        for pipeline in Pipeline.objects.order_by(F("is_default").desc(), "name", "pk")
    ]
    pipeline = next((row for row in pipelines if row["_id"] == id or (not id and row["isDefault"])), None)
    if pipeline is None:
        raise NamedError(NOT_FOUND, "pipeline: there is no such pipeline in this company")
    groups = {
        row["stage_id"]: row
        for row in rows.filter(pipeline=pipeline["_id"])
        .order_by()
        .values("stage_id")
        .annotate(group_count=Count("pk"), group_sum=Sum("value"))
    }
    stages = Stage.objects.filter(pipeline=pipeline["_id"]).order_by("position", "pk")
    return {
        "pipeline": pipeline,
        "stages": [_stage(stage, groups.get(stage.pk) or {}) for stage in stages],
        "pipelines": pipelines,
        "lostReasons": [
            {"_id": id, "name": name}
            for id, name in LostReason.objects.order_by("name", "pk").values_list("pk", "name")
        ],
    }


def _stage(stage: Stage, group: Values) -> JsonObject:
    amount = float(group.get("group_sum") or 0)
    columns = {name: getattr(stage, name) for name in ("name", "kind", "probability", "status")}
    numbers = {"count": group.get("group_count", 0), "sum": amount, "weighted": amount * stage.probability / 100}
    return {"_id": stage.pk, **columns, **numbers}
