"""Endpoints of tags and contact categories (contract 4.4)."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework.request import Request

from accounts.api.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.lists import BulkSelection, FieldSet, ListField
from crm.api.label_serializers import CategoryOut, LabelCreate, LabelDelete, LabelOut, LabelUpdate, TagOut
from crm.models import ContactCategory, Tag
from crm.services.labels import create_tag, delete_tags, not_found, update_tag

LABEL_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("color", "text", "color", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name"),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("updatedBy.name", "text", "updated_by__name"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "description"),
)


class LabelList(ApiView):
    """List and create labels of one model."""

    module = "tag"
    model: ClassVar[type[Tag] | type[ContactCategory]]
    output: ClassVar[type[LabelOut]]

    def list_labels(self) -> Any:
        return self.list_response(self.model.objects.all(), LABEL_FIELDS, self.output)

    def create(self, data: dict[str, Any]) -> Any:
        label = create_tag(self.model, actor_id=self.actor.member_id, values=data)
        return self.output.one(self.model.objects.filter(pk=label.pk))

    def remove(self, request: Request, data: dict[str, Any]) -> Any:
        selection = BulkSelection.parse(request.data, request.query_params, LABEL_FIELDS)
        deleted = delete_tags(self.model, actor_id=self.actor.member_id, selection=selection, automation=data["automation"] == "run")
        return {"deletedCount": deleted}


class LabelDetail(ApiView):
    """Read and change one label of one model."""

    module = "tag"
    model: ClassVar[type[Tag] | type[ContactCategory]]
    output: ClassVar[type[LabelOut]]

    def read(self, id: str) -> Any:
        found = self.output.one(self.model.objects.filter(pk=id))
        if found is None:
            raise not_found(self.model)
        return found

    def update(self, id: str, data: dict[str, Any]) -> Any:
        update_tag(self.model, id=id, actor_id=self.actor.member_id, values=data)
        return self.read(id)


class Tags(LabelList):
    model = Tag
    output = TagOut

    @endpoint("List tags", output=TagOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_labels()

    @endpoint(
        "Create a tag",
        input=LabelCreate,
        output=TagOut,
        status=201,
        message="Tag created",
        errors=("TagNameAlreadyExists_400",),
        takes="tag",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        return self.create(data)

    @endpoint(
        "Delete tags",
        input=LabelDelete,
        output=Deleted,
        bulk=True,
        message="Tags deleted",
        errors=("TagNotFound_400",),
        description="The contacts and leads that have them stay, without them. Emits tag.deleted for each.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        return self.remove(request, data)


class TagDetail(LabelDetail):
    model = Tag
    output = TagOut

    @endpoint("Read a tag", output=TagOut, errors=("TagNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        return self.read(id)

    @endpoint(
        "Update a tag",
        input=LabelUpdate,
        output=TagOut,
        message="Tag updated",
        errors=("TagNotFound_400", "TagNameAlreadyExists_400"),
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        return self.update(id, data)


class ContactCategories(LabelList):
    module = "contact-category"
    model = ContactCategory
    output = CategoryOut

    @endpoint("List contact categories", output=CategoryOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_labels()

    @endpoint(
        "Create a contact category",
        input=LabelCreate,
        output=CategoryOut,
        status=201,
        message="Contact category created",
        takes="contact-category",
        errors=("ContactCategoryNameAlreadyExists_400",),
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        return self.create(data)

    @endpoint(
        "Delete contact categories",
        input=LabelDelete,
        output=Deleted,
        bulk=True,
        message="Contact categories deleted",
        errors=("ContactCategoryNotFound_400",),
        description="Their contacts stay, without category. Emits contactCategory.deleted for each.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        return self.remove(request, data)


class ContactCategoryDetail(LabelDetail):
    module = "contact-category"
    model = ContactCategory
    output = CategoryOut

    @endpoint("Read a contact category", output=CategoryOut, errors=("ContactCategoryNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        return self.read(id)

    @endpoint(
        "Update a contact category",
        input=LabelUpdate,
        output=CategoryOut,
        message="Contact category updated",
        errors=("ContactCategoryNotFound_400", "ContactCategoryNameAlreadyExists_400"),
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        return self.update(id, data)
