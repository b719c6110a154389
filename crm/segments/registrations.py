"""The registrations of segments."""

from __future__ import annotations

from core.access import count_usage
from crm.segments.counts import store_count
from crm.segments.models import Segment
from crm.segments.services import segment_changed
from crm.segments.tracking import compare_changed

count_usage("segment", Segment.objects.all)
segment_changed.connect(compare_changed)
segment_changed.connect(store_count)
