"""Endpoints of lead generation (contract 4.4)."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.contacts.rights import ContactRights
from crm.leads.views import RELATION_ERRORS
from crm.records.views import VALUE_ERRORS
from outreach.prospecting.lead_generation.filters import GENERATION_FIELDS
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.serializers import (
    RELATIONS,
    GenerationChange,
    GenerationCreate,
    GenerationDetail,
    GenerationOut,
)
from outreach.prospecting.lead_generation.services import cancel_generation, get_generation, start_generation


class LeadGenerationViewSet(ResourceViewSet):
    module = "lead-gen-ai"
    listing = Listing("List lead generations", LeadGeneration.objects.all, GENERATION_FIELDS, GenerationOut)

    @endpoint(
        "Start an AI lead generation",
        input=GenerationCreate,
        output=GenerationOut,
        success="LeadGenerationStarted_201",
        quota_module="lead-gen-ai",
        errors=(
            *(
                "PromptRequired_400",
                "MaximumLeadsExceeded_400",
                "AiANotAvailableInPlan_400",
                "AiBNotAvailableInPlan_400",
            ),
            *("NoDefaultAiAConfiguration_400", "NoDefaultAiBConfiguration_400"),
            *("InvalidAIType_400", *VALUE_ERRORS, *RELATION_ERRORS),
        ),
        description="A worker looks through the company's contacts that have no lead for those that fit the prompt,"
        " asks the connected lead sources (POST /apps/lead-source), has the AI app judge the best, and makes leads of"
        " as many as are wanted. People of a lead source become contacts first; whoever has no contact.POST gets"
        " own contacts alone.",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        generation = start_generation(
            member_id=self.actor.member_id,
            prompt=data["prompt"],
            count=data["count"],
            industry=data["industry"],
            additional_filters=data["additional_filters"],
            domains=data["custom_whitelisted_domains"],
            ai_type=data.get("ai_type"),
            form_data=data["form_data"],
            relations={name: data[name] for name in RELATIONS if data.get(name) is not None},
            automation=data["automation"] == "run",
            new_contacts=ContactRights.of(self.actor).create,
        )
        return GenerationOut.one(LeadGeneration.objects.filter(pk=generation.pk))

    @endpoint("Read a lead generation", output=GenerationDetail, errors=("NotFound_404",))
    def retrieve(self, request: Request, id: str) -> object:
        return GenerationDetail.one(LeadGeneration.objects.filter(pk=get_generation(id).pk))

    @endpoint(
        "Cancel a lead generation",
        input=GenerationChange,
        output=GenerationOut,
        success="LeadGenerationUpdated_200",
        errors=("NotFound_404", "InvalidInput_400"),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return GenerationOut.one(LeadGeneration.objects.filter(pk=cancel_generation(id).pk))
