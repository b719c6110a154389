"""The fields by which lists of AI apps and of their calls are filtered, searched and sorted."""

from __future__ import annotations

from core.lists import FieldSet, ListField

AI_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name",),
)

USAGE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("app", "id", "app_id"),
        ListField("run", "id", "run_id"),
        ListField("purpose", "text", "purpose", nullable=False),
        ListField("model", "text", "model", searchable=True, nullable=False),
        ListField("tokensIn", "number", "tokens_in", nullable=False),
        ListField("tokensOut", "number", "tokens_out", nullable=False),
        ListField("cost", "number", "cost", nullable=False),
        ListField("error", "text", "error", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("model",),
)
