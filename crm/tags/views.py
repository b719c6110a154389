"""Endpoints of tags and contact categories (contract 4.4)."""

from __future__ import annotations

from typing import ClassVar

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.tags.filters import NAMED_MODEL_FIELDS
from crm.tags.models import ContactCategory, Tag
from crm.tags.serializers import (
    CategoryOut,
    NamedModelCreate,
    NamedModelDelete,
    NamedModelOut,
    NamedModelUpdate,
    TagOut,
)
from crm.tags.services import create_tag, delete_tags, not_found, update_tag


class NamedModelViewSet(ResourceViewSet, abstract=True):
    """Base of the ViewSets of tags and categories; the actions of each call it."""

    model: ClassVar[type[Tag] | type[ContactCategory]]
    output: ClassVar[type[NamedModelOut]]

    def read(self, id: str) -> JsonObject:
        record = self.output.one(self.model.objects.filter(pk=id))
        if record is None:
            raise not_found(self.model)
        return record

    def add(self, data: JsonObject) -> JsonObject:
        return self.read(create_tag(self.model, actor_id=self.actor.member_id, values=data).pk)

    def change(self, id: str, data: JsonObject) -> JsonObject:
        update_tag(self.model, id=id, actor_id=self.actor.member_id, values=data)
        return self.read(id)

    def remove(self, data: JsonObject) -> dict[str, int]:
        deleted = delete_tags(
            self.model,
            actor_id=self.actor.member_id,
            selection=self.selection(),
            automation=data["automation"] != "skip",
        )
        return {"deletedCount": deleted}


class TagViewSet(NamedModelViewSet):
    module = "tag"
    model = Tag
    output = TagOut
    listing = Listing("List tags", Tag.objects.all, NAMED_MODEL_FIELDS, TagOut)

    @endpoint(
        "Create a tag",
        input=NamedModelCreate,
        output=TagOut,
        success="TagCreated_201",
        errors=("TagNameAlreadyExists_400",),
        quota_module="tag",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.add(data)

    @endpoint(
        "Delete tags",
        input=NamedModelDelete,
        output=Deleted,
        bulk=True,
        success="TagsDeleted_200",
        errors=("TagNotFound_400",),
        description="The contacts and leads that have them stay, without them. Emits tag.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return self.remove(data)

    @endpoint("Read a tag", output=TagOut, errors=("TagNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return self.read(id)

    @endpoint(
        "Update a tag",
        input=NamedModelUpdate,
        output=TagOut,
        success="TagUpdated_200",
        errors=("TagNotFound_400", "TagNameAlreadyExists_400"),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self.change(id, data)


class ContactCategoryViewSet(NamedModelViewSet):
    module = "contact-category"
    model = ContactCategory
    output = CategoryOut
    listing = Listing("List contact categories", ContactCategory.objects.all, NAMED_MODEL_FIELDS, CategoryOut)

    @endpoint(
        "Create a contact category",
        input=NamedModelCreate,
        output=CategoryOut,
        success="ContactCategoryCreated_201",
        quota_module="contact-category",
        errors=("ContactCategoryNameAlreadyExists_400",),
    )
    def create(self, request: Request, data: JsonObject) -> object:
        return self.add(data)

    @endpoint(
        "Delete contact categories",
        input=NamedModelDelete,
        output=Deleted,
        bulk=True,
        success="ContactCategoriesDeleted_200",
        errors=("ContactCategoryNotFound_400",),
        description="Their contacts stay, without category. Emits contact-category.deleted for each.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return self.remove(data)

    @endpoint("Read a contact category", output=CategoryOut, errors=("ContactCategoryNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return self.read(id)

    @endpoint(
        "Update a contact category",
        input=NamedModelUpdate,
        output=CategoryOut,
        success="ContactCategoryUpdated_200",
        errors=("ContactCategoryNotFound_400", "ContactCategoryNameAlreadyExists_400"),
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        return self.change(id, data)
