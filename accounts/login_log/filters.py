"""The fields that the login log can be filtered, searched and sorted by."""

from __future__ import annotations

from accounts.request_log.filters import COMMON
from core.lists import FieldSet, ListField

LOGIN_LOG_FIELDS = FieldSet(
    [
        *COMMON,
        ListField("status", "text", "status", nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False, ignore_case=True),
        ListField("reason", "text", "reason", searchable=True, nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("email", "user.name"),
)
