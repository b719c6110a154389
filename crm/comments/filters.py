"""The fields of the list of comments."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet

from core.lists import FieldSet, ListField, ManyField
from crm.comments.models import RECORD_KINDS, CommentMention


def _mentions() -> QuerySet[CommentMention]:
    return CommentMention.objects.filter(comment=OuterRef("pk"), is_current=True)


COMMENT_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("text", "text", "text", searchable=True, sortable=False, nullable=False),
        *(ListField(kind, "id", f"{kind}_id", sortable=False) for kind in RECORD_KINDS),
        ManyField("mentions", "id", _mentions, "member_id"),
        ListField("createdBy", "id", "created_by_id"),
        ListField("createdBy.name", "text", "created_by__name", searchable=True),
        ListField("editedAt", "date", "edited_at", sortable=False),
        ListField("createdAt", "date", "created_at", nullable=False),
        ListField("updatedAt", "date", "updated_at", sortable=False, nullable=False),
    ],
    default_sort=("createdAt",),
    default_search=("text",),
)
