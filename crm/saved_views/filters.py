"""The fields that lists of saved views are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

SAVED_VIEW_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("resource", "text", "resource", nullable=False),
        ListField("layout", "text", "layout", nullable=False),
        ListField("shared", "boolean", "shared", nullable=False),
        *authorship_fields(),
    ],
    default_search=("name",),
)
