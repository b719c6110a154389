"""Endpoints of custom sections (contract 4.4)."""

from __future__ import annotations

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.custom_fields.models import CustomSection
from crm.custom_fields.section_filters import SECTION_FIELDS
from crm.custom_fields.section_serializers import (
    SectionCreate,
    SectionDelete,
    SectionOrder,
    SectionOut,
    SectionsOut,
    SectionUpdate,
)
from crm.custom_fields.sections import (
    NONE_SELECTED,
    create_section,
    delete_sections,
    not_found,
    reorder_sections,
    update_section,
)

SECTION_ERRORS = ("CustomSectionNameAlreadyExists_400", "InvalidPanel_400")


class CustomSectionViewSet(ResourceViewSet):
    module = "custom-section"
    nothing_selected = NONE_SELECTED
    listing = Listing(
        "List custom sections",
        CustomSection.objects.all,
        SECTION_FIELDS,
        SectionOut,
        description="sortBy=order gives them as they are shown.",
    )

    @endpoint(
        "Create a custom section",
        input=SectionCreate,
        output=SectionOut,
        quota_module="custom-section",
        success="CustomSectionCreated_201",
        errors=(*SECTION_ERRORS, "PlanLimitExceeded_403"),
    )
    def create(self, request: Request, data: JsonObject) -> object:
        section = create_section(actor_id=self.actor.member_id, values=data)
        return SectionOut.one(CustomSection.objects.filter(pk=section.pk))

    @endpoint(
        "Delete custom sections",
        input=SectionDelete,
        output=Deleted,
        bulk=True,
        success="CustomSectionsDeleted_200",
        errors=("CustomSectionNotFound_400", "NoCustomSectionSelected_400"),
        description="Their fields stay, without section.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_sections(selection=self.selection())}

    @action(detail=False, methods=["put"])
    @endpoint(
        "Reorder custom sections",
        input=SectionOrder,
        output=SectionsOut,
        success="CustomSectionsReordered_200",
        errors=("CustomSectionNotFound_400", "InvalidPanel_400", "NoCustomSectionSelected_400"),
        description="Answers all sections of the panel in their new order, numbered from 1.",
    )
    def reorder(self, request: Request, data: JsonObject) -> object:
        ordered = reorder_sections(actor_id=self.actor.member_id, ids=data["ids"])
        rows = SectionOut.project(CustomSection.objects.filter(pk__in=ordered).order_by("order"))
        return {"sections": [SectionOut.render(row) for row in rows]}

    @endpoint("Read a custom section", output=SectionOut, errors=("CustomSectionNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._section_data(id)

    @endpoint(
        "Update a custom section",
        input=SectionUpdate,
        output=SectionOut,
        success="CustomSectionUpdated_200",
        errors=("CustomSectionNotFound_400", *SECTION_ERRORS),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        update_section(id=id, actor_id=self.actor.member_id, values=data)
        return self._section_data(id)

    def _section_data(self, id: str) -> JsonObject:
        section = SectionOut.one(CustomSection.objects.filter(pk=id))
        if section is None:
            raise not_found()
        return section
