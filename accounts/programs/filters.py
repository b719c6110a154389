"""The fields that lists of referred users are filtered, searched and sorted by."""

from __future__ import annotations

from accounts.programs.selectors import REWARD_STATE
from core.lists import FieldSet, ListField

REFERRED_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("rewardState", "text", REWARD_STATE, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
    ],
    default_search=("name",),
)
