"""The fields that lists of most records share: who made and changed them, and when."""

from __future__ import annotations

from core.lists import ListField


def authorship_fields(*, searchable: bool = False) -> list[ListField]:
    """Return the fields createdBy to updatedAt. `searchable` lets searchBy name the members."""
    return [
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=searchable),
        ListField("updatedBy", "id", "updated_by_id"),
        ListField("updatedBy.name", "text", "updated_by__name", searchable=searchable),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ]
