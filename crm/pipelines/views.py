"""Endpoints of pipelines and of reasons for lost leads (additions to the contract: docs/deviations/records.md)."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.pipelines.filters import LOST_REASON_FIELDS, PIPELINE_FIELDS
from crm.pipelines.models import LostReason, Pipeline
from crm.pipelines.serializers import (
    LostReasonCreate,
    LostReasonDelete,
    LostReasonOut,
    LostReasonUpdate,
    PipelineCreate,
    PipelineDelete,
    PipelineOut,
    PipelineUpdate,
    stages_of,
)
from crm.pipelines.services import (
    create_pipeline,
    delete_pipelines,
    delete_reasons,
    not_found,
    reason_not_found,
    save_reason,
    update_pipeline,
)

MODULE, CHANGE = "settings", "PUT"
"""The permission that lets a role change pipelines and reasons; those of leads let it use them."""
STAGE_ERRORS = ("InvalidInput_400", "StageNotFound_404", "PipelineNameAlreadyExists_400")


class PipelineViewSet(ResourceViewSet):
    module = "lead"
    alternate_modules = (MODULE,)
    listing = Listing("List pipelines", Pipeline.objects.all, PIPELINE_FIELDS, PipelineOut)

    @endpoint(
        "Create a pipeline",
        input=PipelineCreate,
        output=PipelineOut,
        module=MODULE,
        permission=CHANGE,
        success="PipelineCreated_201",
        errors=STAGE_ERRORS,
        description="It needs at least one stage of each kind: open, won and lost.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        pipeline = create_pipeline(actor_id=self.actor.member_id, name=data["name"], stages=stages_of(data))
        return self._pipeline_data(pipeline.pk)

    @endpoint(
        "Delete pipelines",
        input=PipelineDelete,
        output=Deleted,
        bulk=True,
        module=MODULE,
        permission=CHANGE,
        success="PipelinesDeleted_200",
        errors=("CannotDeleteDefaultPipeline_400", "PipelineNotFound_404", "StageInUse_400"),
        description="Refused while they have leads, unless `moveTo` names the pipeline that takes them. The default"
        " pipeline stays. Emits lead.updated for each lead that moves.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = delete_pipelines(
            actor_id=self.actor.member_id,
            selection=self.selection(),
            move_to=data.get("move_to"),
            automation=data["automation"] != "skip",
        )
        return {"deletedCount": deleted}

    @endpoint("Read a pipeline", output=PipelineOut, errors=("PipelineNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._pipeline_data(id)

    @endpoint(
        "Update a pipeline",
        input=PipelineUpdate,
        output=PipelineOut,
        module=MODULE,
        permission=CHANGE,
        success="PipelineUpdated_200",
        errors=(
            *("PipelineNotFound_404", "StageInUse_400", *STAGE_ERRORS),
            *("InvalidSystemField_400", "CustomFieldNotFound_400", "CustomFieldNameAlreadyExists_400"),
        ),
        description="What is not given stays. `stages` are all of its stages: one with an _id is changed, one without"
        " is new, and one that is left out is removed. A removed stage with leads needs a place for them in `moveTo`."
        " A stage with leads keeps its kind. The stages of the default pipeline are the options of the leads' system"
        " field status, which change with them. Emits lead.updated for each lead that moves.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        update_pipeline(
            id=id,
            actor_id=self.actor.member_id,
            name=data.get("name"),
            stages=stages_of(data) if "stages" in data else None,
            move_to=data.get("move_to"),
            automation=data["automation"] != "skip",
        )
        return self._pipeline_data(id)

    def _pipeline_data(self, id: str) -> JsonObject:
        pipeline = PipelineOut.one(Pipeline.objects.filter(pk=id))
        if pipeline is None:
            raise not_found()
        return pipeline


class LostReasonViewSet(ResourceViewSet):
    module = "lead"
    alternate_modules = (MODULE,)
    listing = Listing("List reasons for lost leads", LostReason.objects.all, LOST_REASON_FIELDS, LostReasonOut)

    @endpoint(
        "Create a reason for lost leads",
        input=LostReasonCreate,
        output=LostReasonOut,
        module=MODULE,
        permission=CHANGE,
        success="LostReasonCreated_201",
        errors=("LostReasonNameAlreadyExists_400", "InvalidInput_400"),
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self._reason_data(save_reason(actor_id=self.actor.member_id, name=data["name"]).pk)

    @endpoint(
        "Delete reasons for lost leads",
        input=LostReasonDelete,
        output=Deleted,
        bulk=True,
        module=MODULE,
        permission=CHANGE,
        success="LostReasonsDeleted_200",
        errors=("LostReasonNotFound_404",),
        description="The leads that have them stay lost, without a reason.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_reasons(selection=self.selection())}

    @endpoint("Read a reason for lost leads", output=LostReasonOut, errors=("LostReasonNotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._reason_data(id)

    @endpoint(
        "Update a reason for lost leads",
        input=LostReasonUpdate,
        output=LostReasonOut,
        module=MODULE,
        permission=CHANGE,
        success="LostReasonUpdated_200",
        errors=("LostReasonNotFound_404", "LostReasonNameAlreadyExists_400"),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        save_reason(id=id, actor_id=self.actor.member_id, name=data.get("name"))
        return self._reason_data(id)

    def _reason_data(self, id: str) -> JsonObject:
        reason = LostReasonOut.one(LostReason.objects.filter(pk=id))
        if reason is None:
            raise reason_not_found()
        return reason
