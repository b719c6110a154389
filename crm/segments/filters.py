"""The fields that lists of segments are filtered, searched and sorted by, and the field for filters by segment."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db.models import Q

from core.lists import FieldSet, ListField
from core.lists.fields import Condition, expression_column
from crm.segments.models import Segment
from crm.segments.services import segment_members
from crm.tags.filters import NAMED_MODEL_FIELDS

SEGMENT_FIELDS = FieldSet(
    [
        *NAMED_MODEL_FIELDS.fields.values(),
        ListField("panel", "text", "panel", nullable=False),
        ListField("kind", "text", "kind", nullable=False),
    ],
    default_search=("name", "description"),
)


class SegmentField(ListField):
    """Filters records of a panel by the ids of the segments that select them."""

    many = True

    def __init__(self, panel: str) -> None:
        super().__init__("segment", "id", "pk", sortable=False)
        self.panel = panel

    def where(self, condition: Condition) -> Q:
        segments = Segment.objects.filter(condition(expression_column("pk")), panel=self.panel)
        return reduce(or_, (Q(pk__in=segment_members(segment).values("pk")) for segment in segments), Q(pk__in=[]))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)
