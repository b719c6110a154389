"""Endpoints of custom fields (contract 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request

from accounts.members.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.errors import NamedError
from core.lists import FieldSet, ListField
from crm.custom_fields.serializers import (
    FieldCreate,
    FieldDelete,
    FieldModify,
    FieldOrder,
    FieldOut,
    FieldReset,
    FieldsOut,
    FieldUpdate,
)
from crm.custom_fields.services import FieldChange, create_field, delete_fields, reorder_fields, update_fields
from crm.custom_fields.system_fields import reset_system
from crm.records.models import CustomField

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
CHANGING = (
    "Values that records have are converted to new types, and with dropInvalid those that cannot be are removed; without it they are"
    " refused, with their number and examples. Where more than 1,000 records have a value, a job (shown in the field) converts them, and"
    " the field is what it was until that is done. Of a system field only name, required, order, hide, placeholder and helper change, and"
    " of a lead's status and source the options and the default too; an option that a live lead has cannot go."
)
TROUBLES = ("CustomFieldNameAlreadyExists_400", "InvalidInput_400", "InvalidPanel_400", "InvalidSectionId_400")
CHANGE_TROUBLES = (*TROUBLES, "CustomFieldNotFound_400", "InvalidCustomFieldValue_400", "InvalidSystemField_400")


class CustomFields(ApiView):
    module = "custom-field"

    @endpoint(
        "List custom fields",
        output=FieldOut,
        many=True,
        description='System fields are among them; filters={"panel":"contact"}.',
    )
    def get(self, request: Request) -> Any:
        return self.list_response(CustomField.objects.all(), FIELD_FIELDS, FieldOut)

    @endpoint(
        "Create a custom field",
        input=FieldCreate,
        output=FieldOut,
        success="CustomFieldCreated_201",
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
        success="CustomFieldsDeleted_200",
        errors=("CustomFieldNotFound_400", "InvalidSystemField_400"),
        description="They are gone at once, and their values go with them: where more than 1,000 records have one, by a job"
        " (GET /bulk-job), and a field's key is free again when that is done. System fields cannot be deleted.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        return {"deletedCount": delete_fields(actor_id=self.actor.member_id, ids=data["ids"])}


class CustomFieldDetail(ApiView):
    module = "custom-field"

    @endpoint("Read a custom field", output=FieldOut, errors=("CustomFieldNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        found = FieldOut.one(CustomField.objects.filter(pk=id))
        if found is None:
            raise NamedError("CustomFieldNotFound_400", "id: there is no such custom field in this company")
        return found

    @endpoint(
        "Update a custom field",
        input=FieldUpdate,
        output=FieldOut,
        success="CustomFieldUpdated_200",
        errors=CHANGE_TROUBLES,
        description=CHANGING,
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        drop_invalid = data.pop("drop_invalid")
        update_fields(actor_id=self.actor.member_id, changes=[FieldChange(id, data, drop_invalid)])
        return FieldOut.one(CustomField.objects.filter(pk=id))


class CustomFieldsModify(ApiView):
    module = "custom-field"

    @endpoint(
        "Update many custom fields",
        input=FieldModify,
        output=FieldsOut,
        success="CustomFieldsUpdated_200",
        errors=CHANGE_TROUBLES,
        description=f"All of them or none; the warning names each problem by its index in fields. {CHANGING}",
    )
    def put(self, request: Request, data: dict[str, Any]) -> Any:
        changes = [FieldChange(values.pop("id"), values, values.pop("drop_invalid")) for values in data["fields"]]
        update_fields(actor_id=self.actor.member_id, changes=changes, numbered=True)
        return shown([change.id for change in changes])


class CustomFieldsOrder(ApiView):
    module = "custom-field"

    @endpoint(
        "Reorder custom fields",
        input=FieldOrder,
        output=FieldsOut,
        success="CustomFieldsReordered_200",
        errors=("CustomFieldNotFound_400", "InvalidInput_400", "InvalidPanel_400"),
        description="Answers all fields of the panel in their new order, numbered from 1; system fields are among them.",
    )
    def put(self, request: Request, data: dict[str, Any]) -> Any:
        return shown(reorder_fields(actor_id=self.actor.member_id, ids=data["ids"]))


class SystemFieldsReset(ApiView):
    module = "custom-field"

    @endpoint(
        "Reset system fields",
        input=FieldReset,
        output=FieldsOut,
        success="SystemFieldsReset_200",
        errors=("CustomFieldNameAlreadyExists_400", "InvalidPanel_400", "InvalidSystemField_400"),
        description="Names, options, order and all else of the system fields become what they were in a new company. Refused while a live"
        " lead has a status or source that would be no option any more. Answers the fields that were reset.",
    )
    def put(self, request: Request, data: dict[str, Any]) -> Any:
        return shown(reset_system(actor_id=self.actor.member_id, panel=data.get("panel")))


def shown(ids: Sequence[str]) -> dict[str, Any]:
    """The fields as they go out, in this order."""
    rows = {row["id"]: row for row in FieldOut.project(CustomField.objects.filter(pk__in=ids))}
    return {"fields": [FieldOut.render(rows[id]) for id in ids]}
