"""The fields that lists of tracking hosts are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

DOMAIN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("status", "text", "state", nullable=False),
        ListField("checkedAt", "date", "checked_at"),
        *authorship_fields(),
    ],
    default_search=("name",),
)
