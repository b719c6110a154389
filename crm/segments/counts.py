"""Numbers of members of dynamic segments: stored when the filters change, and counted again by the hour."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db.models import F, Q
from django.utils import timezone

from core.errors import ApiError
from core.tenancy import company_scope
from crm.segments.models import Segment
from crm.segments.services import segment_members

log = logging.getLogger(__name__)

COUNT_EVERY = timedelta(minutes=5)
OLD = timedelta(hours=1)
"""Age from which a number is counted again."""


def store_count(segment: Segment, by_hand: bool = False) -> None:
    """Count the members of a dynamic segment; of one with invalid filters there is no number."""
    if segment.kind != Segment.Kind.DYNAMIC:
        return
    try:
        number: int | None = segment_members(segment).count()
    except ApiError as error:
        log.info("segment %s cannot be counted: %s", segment.pk, error)
        number = None
    Segment.objects.filter(pk=segment.pk).update(last_count=number, counted_at=timezone.now())


def keep_count(segment: Segment, number: int) -> None:
    """Store a number of members that was just counted, so that the list of segments shows the same."""
    if segment.kind == Segment.Kind.DYNAMIC and number != segment.last_count:
        Segment.objects.filter(pk=segment.pk).update(last_count=number, counted_at=timezone.now())


def count_due() -> bool:
    """Count the members of the segment whose number is the oldest (a periodic task). Returns whether there was one."""
    old = Q(counted_at=None) | Q(counted_at__lte=timezone.now() - OLD)
    due = Segment.objects.filter(old, kind=Segment.Kind.DYNAMIC).order_by(F("counted_at").asc(nulls_first=True), "pk")
    segment = due.first()
    if segment is None:
        return False
    with company_scope(segment.company_id):
        store_count(segment)
    return True
