"""The consumer of events that start runs."""

from __future__ import annotations

from core.events import EventConsumer
from core.jobs import register
from crm.segments.tracking import watch_segments
from workflows.graphs.events import KINDS
from workflows.triggers.consumer import start_by_events
from workflows.triggers.segments import waited_for

WANTED = "EXISTS (SELECT FROM workflows_workflowtrigger w WHERE w.company_id = %(company)s AND w.kind = %(kind)s)"
"""A company whose workflows wait for no event of a kind pays nothing for it."""

register(EventConsumer("workflows", start_by_events, kinds=KINDS, automation=True, where=WANTED))
watch_segments(waited_for)
