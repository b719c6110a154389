"""The fields that lists of teams are filtered, searched and sorted by."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet

from core.lists import FieldSet, ListField, ManyField
from crm.tags.filters import NAMED_MODEL_FIELDS
from crm.teams.models import TeamMember


def _members() -> QuerySet[TeamMember]:
    return TeamMember.objects.filter(team=OuterRef("pk"))


TEAM_FIELDS = FieldSet(
    [
        *NAMED_MODEL_FIELDS.fields.values(),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        ManyField("members", "id", _members, "member_id"),
        ManyField("members.name", "text", _members, "member__name", searchable=True),
        ManyField("members.email", "text", _members, "member__email", searchable=True),
    ],
    default_search=("name", "description"),
)
