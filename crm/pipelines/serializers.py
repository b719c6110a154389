"""Bodies and answers of pipelines and of reasons for lost leads."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, IntegerInput, LineInput, ObjectIdInput, ObjectInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.errors import InvalidFormat
from core.fields import JSONField
from core.ids import is_id
from core.types import JsonObject, Values
from crm.pipelines.models import Stage
from crm.pipelines.services import MAX_STAGES, StageInput
from crm.records.serializers import AutomationInput
from crm.tags.serializers import UNIQUE

MOVE_STAGES = "stage id -> id of a stage that stays: where the leads of a removed stage go"
MOVE_PIPELINES = "pipeline id: its first stages of the same kinds take the leads of the deleted pipelines"


class StageMoves(ObjectInput):
    """Removed stage -> the stage that takes its leads."""

    def to_internal_value(self, data: Any) -> dict[str, str]:
        moves = super().to_internal_value(data)
        for id in (*moves, *moves.values()):
            if not is_id(id):
                raise InvalidFormat("moveTo", id, "each key and value must be the id of a stage")
        return moves


class StageBody(Input):
    """A stage of a pipeline."""

    _id = ObjectIdInput(required=False, help_text="of a stage that the pipeline has; a new one has none")
    name = LineInput(max_length=200)
    kind = serializers.ChoiceField(
        choices=Stage.Kind.values, required=False, help_text="open unless given; that of leads in it"
    )
    probability = IntegerInput(
        required=False, min_value=0, max_value=100, help_text="percent of open leads that are won; won: 100, lost: 0"
    )
    # So that stages of an answer can be sent back.
    status = serializers.CharField(read_only=True)


class PipelineCreate(Input):
    name = LineInput(max_length=200, help_text=UNIQUE)
    stages = serializers.ListField(
        child=StageBody(),
        max_length=MAX_STAGES,
        help_text="in their order, of each kind at least one",
    )


class PipelineUpdate(AutomationInput):
    name = LineInput(max_length=200, required=False, help_text=UNIQUE)
    stages = serializers.ListField(
        child=StageBody(),
        required=False,
        max_length=MAX_STAGES,
        help_text="all stages in their order; one that is left out is removed",
    )
    moveTo = StageMoves(required=False, help_text=MOVE_STAGES)


class PipelineDelete(SelectionInput, AutomationInput):
    """Pipelines to delete."""

    moveTo = ObjectIdInput(required=False, allow_null=True, help_text=MOVE_PIPELINES)


def stages_of(data: Values) -> list[StageInput]:
    """Return the stages of a body."""
    return [StageInput(**stage) for stage in data["stages"]]


class StageOut(Output):
    """A stage of a pipeline."""

    _id = IdField()
    name = serializers.CharField()
    probability = serializers.IntegerField(help_text="percent; the weight of its leads in a forecast")
    kind = serializers.ChoiceField(choices=Stage.Kind.values)
    status = serializers.CharField(allow_null=True, help_text="the status of its leads, in the default pipeline alone")


class PipelineOut(Output):
    """A pipeline with its stages."""

    _id = IdField()
    name = serializers.CharField()
    isDefault = serializers.BooleanField(help_text="its stages are the statuses of leads; it cannot be deleted")
    stages = Computed(serializers.ListField(child=StageOut()))
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def columns(cls) -> JsonObject:
        rows = Stage.objects.filter(pipeline=OuterRef("pk")).order_by().values("pipeline")
        item = JSONObject(_id="id", name="name", probability="probability", kind="kind", status="status")
        listed = rows.annotate(listed=JSONBAgg(item, order_by=("position", "id"))).values("listed")
        return {**super().columns(), "stages": Subquery(listed, output_field=JSONField())}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "stages": data["stages"] or []}


class LostReasonCreate(Input):
    name = LineInput(max_length=200, help_text=UNIQUE)


class LostReasonUpdate(Input):
    name = LineInput(max_length=200, required=False, help_text=UNIQUE)


class LostReasonDelete(SelectionInput):
    """Reasons to delete."""


class LostReasonOut(Output):
    """A reason for which leads are lost."""

    _id = IdField()
    name = serializers.CharField()
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()
