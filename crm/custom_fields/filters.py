"""The fields that lists of custom fields are filtered, searched and sorted by."""

from __future__ import annotations

from core.lists import FieldSet, ListField

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
