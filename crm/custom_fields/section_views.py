"""Endpoints of custom sections (contract 4.4)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.members.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.errors import NamedError
from core.lists import BulkSelection, FieldSet, ListField
from crm.custom_fields.models import CustomSection
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

SECTION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("panel", "text", "panel", nullable=False),
        ListField("order", "number", "order"),
        ListField("hide", "boolean", "hide", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name"),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("updatedBy.name", "text", "updated_by__name"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "description"),
)
TROUBLES = ("CustomSectionNameAlreadyExists_400", "InvalidPanel_400")


class CustomSections(ApiView):
    module = "custom-section"

    @endpoint(
        "List custom sections", output=SectionOut, many=True, description="sortBy=order gives them as they are shown."
    )
    def get(self, request: Request) -> Any:
        return self.list_response(CustomSection.objects.all(), SECTION_FIELDS, SectionOut)

    @endpoint(
        "Create a custom section",
        input=SectionCreate,
        output=SectionOut,
        takes="custom-section",
        success="CustomSectionCreated_201",
        errors=(*TROUBLES, "PlanLimitExceeded_403"),
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
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
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        if not data["select_all"] and not data.get("ids"):
            raise NamedError(
                NONE_SELECTED,
                "ids: name the sections in ids, or set selectAll to true to delete all that match the query string",
            )
        return {
            "deletedCount": delete_sections(
                selection=BulkSelection.parse(request.data, request.query_params, SECTION_FIELDS)
            )
        }


class CustomSectionOrder(ApiView):
    module = "custom-section"

    @endpoint(
        "Reorder custom sections",
        input=SectionOrder,
        output=SectionsOut,
        success="CustomSectionsReordered_200",
        errors=("CustomSectionNotFound_400", "InvalidPanel_400", "NoCustomSectionSelected_400"),
        description="Answers all sections of the panel in their new order, numbered from 1.",
    )
    def put(self, request: Request, data: dict[str, Any]) -> Any:
        ordered = reorder_sections(actor_id=self.actor.member_id, ids=data["ids"])
        rows = SectionOut.project(CustomSection.objects.filter(pk__in=ordered).order_by("order"))
        return {"sections": [SectionOut.render(row) for row in rows]}


class CustomSectionDetail(ApiView):
    module = "custom-section"

    @endpoint("Read a custom section", output=SectionOut, errors=("CustomSectionNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        return self._one(id)

    @endpoint(
        "Update a custom section",
        input=SectionUpdate,
        output=SectionOut,
        success="CustomSectionUpdated_200",
        errors=("CustomSectionNotFound_400", *TROUBLES),
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        update_section(id=id, actor_id=self.actor.member_id, values=data)
        return self._one(id)

    def _one(self, id: str) -> dict[str, Any]:
        found = SectionOut.one(CustomSection.objects.filter(pk=id))
        if found is None:
            raise not_found()
        return found
