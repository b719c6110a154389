"""Segments as something that lists of contacts and leads are filtered by."""

from __future__ import annotations

from functools import reduce
from operator import or_

from django.db.models import Q

from core.lists import ListField
from core.lists.fields import Condition, column
from crm.segments.models import Segment
from crm.segments.services import members


class SegmentField(ListField):
    """The segments that a record of the panel is in: their ids meet the condition first, and then the record what they select."""

    many = True

    def __init__(self, panel: str) -> None:
        super().__init__("segment", "id", "pk", sortable=False)
        self.panel = panel

    def where(self, condition: Condition) -> Q:
        segments = Segment.objects.filter(condition(column("pk")), panel=self.panel)
        return reduce(or_, (Q(pk__in=members(segment).values("pk")) for segment in segments), Q(pk__in=[]))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)
