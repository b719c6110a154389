"""The fields of the lists of plans and currencies."""

from __future__ import annotations

from core.lists import FieldSet, ListField

PLAN_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("description", "text", "description", searchable=True, nullable=False),
        ListField("isTrial", "boolean", "is_trial", nullable=False),
        ListField("minSeats", "number", "min_seats", nullable=False),
        ListField("maxSeats", "number", "max_seats"),
        ListField("order", "number", "order", nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "description"),
)
CURRENCY_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("code", "text", "code", searchable=True, nullable=False, ignore_case=True),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("symbol", "text", "symbol", nullable=False),
        ListField("decimals", "number", "decimals", nullable=False),
    ],
    default_sort=("code",),
    default_order="asc",
    default_search=("code", "name"),
)
