"""The work of segments."""

from __future__ import annotations

from core.events import EventConsumer
from core.events.kinds import matching
from core.jobs import PeriodicTask, register
from crm.segments.counts import COUNT_EVERY, count_due
from crm.segments.tracking import RELATIVE_EVERY, compare_due, follow

WATCHED = "EXISTS (SELECT FROM crm_segment s WHERE s.company_id = %(company)s AND s.watched_since IS NOT NULL)"
"""A company whose segments nobody watches pays nothing for them."""

register(EventConsumer("segments", follow, kinds=matching(("contact.*", "lead.*")), where=WATCHED))
register(PeriodicTask("segments", compare_due, every=RELATIVE_EVERY))
register(PeriodicTask("segment-counts", count_due, every=COUNT_EVERY))
