"""The fields that lists of members, memberships and the log of invites are filtered, searched and sorted by."""

from __future__ import annotations

from core.lists import FieldSet, ListField

MEMBERSHIP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False, ignore_case=True),
        ListField("status", "text", "status", nullable=False),
        ListField("company", "id", "company_id", nullable=False),
        ListField("company.name", "text", "company__name", searchable=True, nullable=False),
        ListField("role", "id", "role_id"),
        ListField("role.name", "text", "role__name"),
        ListField("createdBy", "id", "invited_by_id"),
        ListField("createdBy.name", "text", "invited_by__name"),
        ListField("invitedAt", "date", "invited_at"),
        ListField("inviteExpiresAt", "date", "invite_expires_at"),
        ListField("acceptedAt", "date", "accepted_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("company.name",),
)

INVITE_LOG_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("member", "id", "member_id", nullable=False),
        ListField("member.name", "text", "member__name", searchable=True, nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False, ignore_case=True),
        ListField("action", "text", "action", searchable=True, nullable=False),
        ListField("actionBy", "id", "action_by_id"),
        ListField("actionBy.name", "text", "action_by__name", searchable=True),
        ListField("actionBy.email", "text", "action_by__email", searchable=True, ignore_case=True),
        ListField("role", "id", "role_id"),
        ListField("role.name", "text", "role__name", searchable=True),
        ListField("detail", "text", "detail", searchable=True, nullable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("email", "member.name"),
)

MEMBER_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("email", "text", "email", searchable=True, nullable=False, ignore_case=True),
        ListField("status", "text", "status", nullable=False),
        ListField("role", "id", "role_id"),
        ListField("role.name", "text", "role__name", searchable=True),
        ListField("user", "id", "user_id"),
        ListField("user.name", "text", "user__name"),
        ListField("user.email", "text", "user__email", ignore_case=True),
        ListField("createdBy", "id", "invited_by_id"),
        ListField("createdBy.name", "text", "invited_by__name"),
        ListField("invitedAt", "date", "invited_at"),
        ListField("inviteExpiresAt", "date", "invite_expires_at"),
        ListField("acceptedAt", "date", "accepted_at"),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", nullable=False),
    ],
    default_search=("name", "email"),
)
