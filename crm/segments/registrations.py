"""The registrations of segments."""

from __future__ import annotations

from core.access import count_usage
from core.api.routes import protected
from core.events import EventConsumer
from core.events.kinds import kinds_matching
from core.global_search import Kind, register_kind
from core.jobs import PeriodicTask, register
from crm.segments.counts import COUNT_EVERY, count_due, store_count
from crm.segments.models import Segment
from crm.segments.services import segment_changed
from crm.segments.tracking import RELATIVE_EVERY, compare_changed, compare_due, track_members
from crm.segments.views import SegmentViewSet
from crm.tags.filters import NAMED_MODEL_FIELDS

protected.register("segment", SegmentViewSet)
WATCHED = "EXISTS (SELECT FROM crm_segment s WHERE s.company_id = %(company)s AND s.watched_since IS NOT NULL)"
"""The consumer skips companies without a watched segment."""

register(EventConsumer("segments", track_members, kinds=kinds_matching(("contact.*", "lead.*")), where=WATCHED))
register(PeriodicTask("segments", compare_due, every=RELATIVE_EVERY))
register(PeriodicTask("segment-counts", count_due, every=COUNT_EVERY))
count_usage("segment", Segment.objects.all)
segment_changed.connect(compare_changed)
segment_changed.connect(store_count)
register_kind(
    Kind(
        "segment",
        "segment",
        lambda actor: Segment.objects.all(),
        NAMED_MODEL_FIELDS.pick("name"),
        "name",
        "description",
        60,
    )
)
