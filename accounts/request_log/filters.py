"""The fields that the server log can be filtered, searched and sorted by."""

from __future__ import annotations

from django.db.models import F, Func, TextField

from core.lists import FieldSet, ListField

ADDRESS = Func(F("ip"), function="HOST", output_field=TextField())
"""An IP address as text: comparing an inet with other text would be a database error."""

COMMON = (
    ListField("_id", "id", "id", nullable=False),
    ListField("ip", "text", ADDRESS, searchable=True, sortable=False),
    ListField("userAgent", "text", "user_agent", searchable=True, nullable=False),
    ListField("createdAt", "date", "created_at", nullable=False),
    ListField("updatedAt", "date", "updated_at", nullable=False),
    ListField("user", "id", "user_id"),
    ListField("user.name", "text", "user__name", searchable=True),
    ListField("user.email", "text", "user__email", searchable=True),
)

SERVER_LOG_FIELDS = FieldSet(
    [
        *COMMON,
        ListField("status", "number", "status", nullable=False),
        ListField("door", "text", "auth_path", nullable=False),
        ListField("method", "text", "method", nullable=False),
        ListField("route", "text", "route", searchable=True, nullable=False),
        ListField("path", "text", "path", searchable=True, nullable=False),
        ListField("durationMs", "number", "duration_ms", nullable=False),
        ListField("requestBytes", "number", "request_bytes", nullable=False),
        ListField("responseBytes", "number", "response_bytes", nullable=False),
        ListField("member", "id", "member_id"),
        ListField("member.name", "text", "member__name", searchable=True),
        ListField("member.email", "text", "member__email", searchable=True),
        ListField("apiKey", "id", "api_key_id"),
    ],
    default_sort=("createdAt",),
    default_search=("path", "user.email"),
)
