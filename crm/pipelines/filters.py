"""The fields that lists of pipelines and of reasons are filtered, searched and sorted by."""

from __future__ import annotations

from django.db.models import OuterRef, QuerySet

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField, ManyField
from crm.pipelines.models import Stage


def _stages() -> QuerySet[Stage]:
    return Stage.objects.filter(pipeline=OuterRef("pk"))


PIPELINE_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        ManyField("stages", "id", _stages, "id"),
        ManyField("stages.name", "text", _stages, "name", searchable=True),
        *authorship_fields(),
    ],
    default_search=("name",),
)
LOST_REASON_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("name", "text", "name", searchable=True, nullable=False),
        *authorship_fields(),
    ],
    default_search=("name",),
)
