"""The consumer of events that start runs."""

from __future__ import annotations

from functools import partial

from core.events import EventConsumer
from core.jobs import QueueWork, register
from workflows.engine.waits.listening import wake_by_events
from workflows.graphs.events import TRIGGER_EVENTS
from workflows.triggers import backlog
from workflows.triggers.consumer import start, start_by_events

WANTED = "EXISTS (SELECT FROM workflows_workflowtrigger w WHERE w.company_id = %(company)s AND w.kind = %(kind)s)"
"""A company whose workflows wait for no event of a kind pays nothing for it."""

HEARD = "EXISTS (SELECT FROM workflows_workflowinterest i WHERE i.company_id = %(company)s AND i.kind = %(kind)s)"
"""The same for events that runs wait for. Whether a run waits at present is checked later, under its lane's lock."""

register(EventConsumer("workflow-waits", wake_by_events, kinds=TRIGGER_EVENTS, where=HEARD, place=0))
register(EventConsumer("workflows", start_by_events, kinds=TRIGGER_EVENTS, automation=True, where=WANTED))
register(
    QueueWork(
        backlog.WORK,
        partial(backlog.drain, start),
        due_rows=backlog.waiting_events,
        queue="workflows",
        task="workflows.start_backlog",
    )
)
