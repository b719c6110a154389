"""The fields by which lists of social apps are filtered, searched and sorted."""

from __future__ import annotations

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField

SOCIAL_APP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("appId", "text", "app_id", searchable=True, nullable=False),
        ListField("verified", "boolean", "verified", nullable=False),
        ListField("isActive", "boolean", "is_active", nullable=False),
        ListField("tokenExpiresAt", "date", "token_expires_at"),
        *authorship_fields(),
    ],
    default_search=("name", "appId"),
)
