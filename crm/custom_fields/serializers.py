"""Bodies and answers of custom fields (contract section 2, CustomField)."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.api.input import BooleanInput, IdList, Input, IntegerInput, ObjectIdInput, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject
from crm.bulk_jobs.models import BulkJob
from crm.custom_fields.services import MAX_CHANGES
from crm.field_types import FIELD_TYPES, VALUE_TYPES
from crm.records.models import CustomField

OPTION_HELP = "objects of label, description and value (texts); a label alone is its own value"
CHILD_HELP = (
    "for valueType array or object: the fields of each item, or of the object. Each has name (its key), description,"
    " fieldType, valueType, required, placeholder, helper, defaultValue, options and children; at most 5 levels"
)


class FieldAttributes(Input):
    name = TextInput(max_length=200, required=False)
    description = TextInput(max_length=5000, allow_blank=True, required=False)
    section = serializers.JSONField(allow_null=True, required=False, help_text="custom section id; null: none")
    order = IntegerInput(allow_null=True, required=False)
    hide = BooleanInput(required=False)
    onlyShowTable = BooleanInput(required=False)
    panel = TextInput(max_length=100, required=False, help_text="contact, lead or productService; set once")
    fieldType = serializers.ChoiceField(
        choices=list(FIELD_TYPES), required=False, help_text="see dropInvalid for values that there are"
    )
    valueType = serializers.ChoiceField(
        choices=list(VALUE_TYPES), required=False, help_text="by default what the fieldType usually holds"
    )
    required = BooleanInput(required=False)  # type: ignore[assignment]
    placeholder = TextInput(max_length=200, allow_blank=True, required=False)
    helper = TextInput(max_length=500, allow_blank=True, required=False)
    defaultValue = serializers.JSONField(allow_null=True, required=False, help_text="of new records; null: none")
    options = serializers.ListField(child=ObjectInput(), required=False, help_text=OPTION_HELP)
    uniqueFieldID = serializers.RegexField(
        r"^[A-Za-z0-9_-]{1,64}$",
        required=False,
        source="unique_field_id",
        error_messages={"invalid": "use at most 64 letters, digits, hyphens and underscores"},
        help_text="the key in formData; set once, by default the field's _id",
    )
    children = serializers.ListField(child=ObjectInput(), required=False, help_text=CHILD_HELP)


class FieldCreate(FieldAttributes):
    name = TextInput(max_length=200)
    fieldType = serializers.ChoiceField(choices=list(FIELD_TYPES))
    panel = TextInput(max_length=100, default="contact", help_text="contact, lead or productService")


class FieldUpdate(FieldAttributes):
    dropInvalid = BooleanInput(
        default=False,
        help_text="remove values that the new type, options or children have no room for; otherwise they are in the"
        " way",
    )


class FieldChangeInput(FieldUpdate):
    _id = ObjectIdInput()


class FieldModify(Input):
    fields = serializers.ListField(  # type: ignore[assignment]
        child=FieldChangeInput(),
        min_length=1,
        max_length=MAX_CHANGES,
        help_text="each with its _id and what changes of it",
    )


class FieldOrder(Input):
    ids = IdList(
        default=list, max_length=1000, help_text="fields of one panel in their new order; others of the panel follow"
    )


class FieldReset(Input):
    panel = TextInput(
        max_length=100, required=False, help_text="contact, lead or productService; by default all of them"
    )


class FieldDelete(Input):
    ids = IdList(allow_empty=False, help_text="_id of each field to delete")


class FieldOption(Output):
    label = serializers.CharField()  # type: ignore[assignment]
    description = serializers.CharField()
    value = serializers.CharField()


class FieldJob(Output):
    """The job that is at a field's values."""

    _id = IdField()
    action = serializers.CharField()
    status = serializers.ChoiceField(choices=BulkJob.Status.values)
    total = serializers.IntegerField(allow_null=True)
    processed = serializers.IntegerField()
    error = serializers.CharField()


class FieldOut(Output):
    """A system field (isSystem) or a custom one."""

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    section = serializers.JSONField(allow_null=True)
    order = serializers.IntegerField(allow_null=True)
    hide = serializers.BooleanField()
    onlyShowTable = serializers.BooleanField()
    panel = serializers.ChoiceField(choices=CustomField.Panel.values)
    valueType = serializers.ChoiceField(choices=list(VALUE_TYPES))
    fieldType = serializers.ChoiceField(choices=list(FIELD_TYPES))
    required = serializers.BooleanField()  # type: ignore[assignment]
    placeholder = serializers.CharField()
    helper = serializers.CharField()
    defaultValue = serializers.JSONField(allow_null=True)
    options = Computed(serializers.ListField(child=FieldOption()))
    company = IdField(source="company_id")
    uniqueFieldID = serializers.CharField(source="unique_field_id", help_text="the key in formData")
    children = serializers.JSONField(help_text=CHILD_HELP)
    isSystem = serializers.BooleanField(help_text="stored in a column of the record itself")
    job = FieldJob(
        help_text="converts the values; the field's types, options and children are those of before until all values"
        " are converted, and cannot change again until the job has ended. It stays here when it failed",
    )
    createdBy = IdField(source="created_by_id", allow_null=True)
    updatedBy = IdField(source="updated_by_id", allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = ("options",)

    @classmethod
    def finish(cls, data: JsonObject, row: Any) -> JsonObject:
        return {**data, "options": row["options"]}


class FieldsOut(Output):
    """Fields in the order of their panels."""

    fields = Computed(serializers.ListField(child=FieldOut()))  # type: ignore[assignment]
