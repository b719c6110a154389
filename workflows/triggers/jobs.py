"""The consumer of events that start runs."""

from __future__ import annotations

from functools import partial

from core.events import EventConsumer
from core.jobs import QueueWork, register
from crm.segments.tracking import watch_segments
from workflows.graphs.events import KINDS
from workflows.triggers import backlog
from workflows.triggers.consumer import start, start_by_events
from workflows.triggers.segments import waited_for

WANTED = "EXISTS (SELECT FROM workflows_workflowtrigger w WHERE w.company_id = %(company)s AND w.kind = %(kind)s)"
"""A company whose workflows wait for no event of a kind pays nothing for it."""

register(EventConsumer("workflows", start_by_events, kinds=KINDS, automation=True, where=WANTED))
register(QueueWork(backlog.WORK, partial(backlog.drain, start), has_due=backlog.has_due, queue="workflows"))
watch_segments(waited_for)
