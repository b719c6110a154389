"""The fields that lists of tags and contact categories are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

NAMED_MODEL_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("color", "text", "color", nullable=False),
        *authorship_fields(),
    ],
    default_search=("name", "description"),
)
