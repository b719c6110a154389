"""The fields that lists of roles are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

ROLE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        *authorship_fields(),
    ],
    default_search=("name", "description"),
)
