"""The fields that lists of templates are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

TEMPLATE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("category", "text", "category", searchable=True, nullable=False),
        ListField("subject", "text", "subject", searchable=True, nullable=False),
        *authorship_fields(),
    ],
    default_search=("name", "subject"),
)
VERSION_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("version", "number", "number", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_sort=("createdAt",),
)
