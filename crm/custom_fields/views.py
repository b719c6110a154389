"""Endpoints of custom fields (contract 4.4)."""

from __future__ import annotations

from collections.abc import Sequence

from rest_framework.decorators import action
from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.errors import NamedError
from core.types import JsonObject
from crm.custom_fields.filters import FIELD_FIELDS
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
from crm.custom_fields.system_reset import reset_system
from crm.records.models import CustomField

CHANGE_DESCRIPTION = (
    "Values that records have are converted to new types, and with dropInvalid those that cannot be are removed;"
    " without it they are refused, with their number and examples. Where more than 1,000 records have a value, a job"
    " (shown in the field) converts them, and the field is what it was until all of them are. Of a system field only"
    " name, required, order, hide, placeholder and helper change, and of a lead's status and source the options and the"
    " default too; an option that a live lead has cannot go."
)
FIELD_ERRORS = ("CustomFieldNameAlreadyExists_400", "InvalidInput_400", "InvalidPanel_400", "InvalidSectionId_400")
CHANGE_ERRORS = (*FIELD_ERRORS, "CustomFieldNotFound_400", "InvalidCustomFieldValue_400", "InvalidSystemField_400")


class CustomFieldViewSet(ResourceViewSet):
    module = "custom-field"
    listing = Listing(
        "List custom fields",
        CustomField.objects.all,
        FIELD_FIELDS,
        FieldOut,
        description='System fields are among them; filters={"panel":"contact"}.',
    )

    @endpoint(
        "Create a custom field",
        input=FieldCreate,
        output=FieldOut,
        success="CustomFieldCreated_201",
        errors=FIELD_ERRORS,
        quota_module="custom-field",
    )
    def create(self, request: Request, data: JsonObject) -> object:
        field = create_field(actor_id=self.actor.member_id, values=data)
        return FieldOut.one(CustomField.objects.filter(pk=field.pk))

    @endpoint(
        "Delete custom fields",
        input=FieldDelete,
        output=Deleted,
        success="CustomFieldsDeleted_200",
        errors=("CustomFieldNotFound_400", "InvalidSystemField_400"),
        description="They are gone at once, and their values go with them: where more than 1,000 records have one, by a"
        " job (GET /bulk-job), and a field's key is free again when that is done. System fields cannot be deleted.",
    )
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        return {"deletedCount": delete_fields(actor_id=self.actor.member_id, ids=data["ids"])}

    @endpoint("Read a custom field", output=FieldOut, errors=("CustomFieldNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        field = FieldOut.one(CustomField.objects.filter(pk=id))
        if field is None:
            raise NamedError("CustomFieldNotFound_400", "there is no such custom field in this company", field="id")
        return field

    @endpoint(
        "Update a custom field",
        input=FieldUpdate,
        output=FieldOut,
        success="CustomFieldUpdated_200",
        errors=CHANGE_ERRORS,
        description=CHANGE_DESCRIPTION,
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        drop_invalid = data.pop("drop_invalid")
        update_fields(actor_id=self.actor.member_id, changes=[FieldChange(id, data, drop_invalid)])
        return FieldOut.one(CustomField.objects.filter(pk=id))

    @action(detail=False, methods=["put"])
    @endpoint(
        "Update many custom fields",
        input=FieldModify,
        output=FieldsOut,
        success="CustomFieldsUpdated_200",
        errors=CHANGE_ERRORS,
        description=f"All of them or none; the warning names each problem by its index in fields. {CHANGE_DESCRIPTION}",
    )
    def modify(self, request: Request, data: JsonObject) -> object:
        changes = [FieldChange(values.pop("id"), values, values.pop("drop_invalid")) for values in data["fields"]]
        update_fields(actor_id=self.actor.member_id, changes=changes, numbered=True)
        return render_fields([change.id for change in changes])

    @action(detail=False, methods=["put"])
    @endpoint(
        "Reorder custom fields",
        input=FieldOrder,
        output=FieldsOut,
        success="CustomFieldsReordered_200",
        errors=("CustomFieldNotFound_400", "InvalidInput_400", "InvalidPanel_400"),
        description="Answers all fields of the panel in their new order, numbered from 1; system fields are among"
        " them.",
    )
    def reorder(self, request: Request, data: JsonObject) -> object:
        return render_fields(reorder_fields(actor_id=self.actor.member_id, ids=data["ids"]))

    @action(detail=False, methods=["put"], url_path="reset-system")
    @endpoint(
        "Reset system fields",
        input=FieldReset,
        output=FieldsOut,
        success="SystemFieldsReset_200",
        errors=("CustomFieldNameAlreadyExists_400", "InvalidPanel_400", "InvalidSystemField_400"),
        description="Names, options, order and all else of the system fields become what they were in a new company."
        " Refused while a live lead has a status or source that would be no option any more. Answers the fields that"
        " were reset.",
    )
    def reset_system(self, request: Request, data: JsonObject) -> object:
        return render_fields(reset_system(actor_id=self.actor.member_id, panel=data.get("panel")))


def render_fields(ids: Sequence[str]) -> JsonObject:
    """Render the fields in the order of the ids."""
    rows = {row["id"]: row for row in FieldOut.project(CustomField.objects.filter(pk__in=ids))}
    return {"fields": [FieldOut.render(rows[id]) for id in ids]}
