"""The board of a pipeline: its stages with the numbers and amounts of their leads."""

from __future__ import annotations

from django.db.models import Count, Exists, F, QuerySet, Sum

from accounts.models import CompanySettings
from core.errors import NamedError
from core.types import JsonObject, Values
from crm.leads.models import Lead
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.pipelines.services import NOT_FOUND


def read_board(rows: QuerySet[Lead], id: str) -> JsonObject:
    """Return the board of the pipeline with this id, of these leads. Raises PipelineNotFound_404."""
    # A company without stored settings has no row here, so the setting is read as off.
    needs_reason = Exists(CompanySettings.objects.filter(lost_reason_required=True))
    stored = list(Pipeline.objects.annotate(needs_reason=needs_reason).order_by(F("is_default").desc(), "name", "pk"))
    pipelines = [{"_id": row.pk, "name": row.name, "isDefault": row.is_default} for row in stored]
    pipeline = next((row for row in pipelines if row["_id"] == id or (not id and row["isDefault"])), None)
    if pipeline is None:
        raise NamedError(NOT_FOUND, "there is no such pipeline in this company", field="pipeline")
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
        "lostReasonRequired": stored[0].needs_reason,
    }


def _stage(stage: Stage, group: Values) -> JsonObject:
    amount = float(group.get("group_sum") or 0)
    columns = {name: getattr(stage, name) for name in ("name", "kind", "probability", "status")}
    numbers = {"count": group.get("group_count", 0), "sum": amount, "weighted": amount * stage.probability / 100}
    return {"_id": stage.pk, **columns, **numbers}
