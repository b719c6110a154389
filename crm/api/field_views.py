"""Endpoints of custom fields (contract 4.4)."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from accounts.api.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.errors import Named
from core.lists import FieldSet, ListField
from crm.api.field_serializers import FieldCreate, FieldDelete, FieldOut, FieldUpdate
from crm.models import CustomField
from crm.services.custom_fields import create_field, delete_fields, update_field

FIELD_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("panel", "text", "panel", nullable=False),
        ListField("fieldType", "text", "field_type", nullable=False),
        ListField("valueType", "text", "value_type", nullable=False),
        ListField("uniqueFieldID", "text", "unique_field_id", searchable=True, nullable=False),
        ListField("order", "number", "order"),
        ListField("hide", "boolean", "hide", nullable=False),
        ListField("onlyShowTable", "boolean", "only_show_table", nullable=False),
        ListField("required", "boolean", "required", nullable=False),
        ListField("isSystem", "boolean", "is_system", nullable=False),
        ListField("createdBy", "id", "created_by_id"),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "description"),
)
TROUBLES = ("CustomFieldNameAlreadyExists_400", "InvalidInput_400", "InvalidPanel_400", "InvalidSectionId_400")


class CustomFields(ApiView):
    module = "custom-field"

    @endpoint("List custom fields", output=FieldOut, many=True, description='System fields are among them; filters={"panel":"contact"}.')
    def get(self, request: Request) -> Any:
        return self.list_response(CustomField.objects.all(), FIELD_FIELDS, FieldOut)

    @endpoint(
        "Create a custom field",
        input=FieldCreate,
        output=FieldOut,
        status=201,
        message="Custom field created",
        errors=TROUBLES,
        takes="custom-field",
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        field = create_field(actor_id=self.actor.member_id, values=data)
        return FieldOut.one(CustomField.objects.filter(pk=field.pk))

    @endpoint(
        "Delete custom fields",
        input=FieldDelete,
        output=Deleted,
        message="Custom fields deleted",
        errors=("CustomFieldNotFound_400", "InvalidSystemField_400"),
        description="Their values go with them. System fields cannot be deleted.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        return {"deletedCount": delete_fields(ids=data["ids"])}


class CustomFieldDetail(ApiView):
    module = "custom-field"

    @endpoint("Read a custom field", output=FieldOut, errors=("CustomFieldNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        found = FieldOut.one(CustomField.objects.filter(pk=id))
        if found is None:
            raise Named("CustomFieldNotFound_400", "id: there is no such custom field in this company")
        return found

    @endpoint(
        "Update a custom field",
        input=FieldUpdate,
        output=FieldOut,
        message="Custom field updated",
        errors=(*TROUBLES, "CustomFieldNotFound_400", "InvalidSystemField_400"),
        description="The types stay once contacts have values. Of a system field only name, required, order, hide, placeholder and helper"
        " change.",
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        update_field(id=id, actor_id=self.actor.member_id, values=data)
        return FieldOut.one(CustomField.objects.filter(pk=id))
