"""The registrations of triggers."""

from __future__ import annotations

from functools import partial

from core.api.routes import public
from core.events import EventConsumer
from core.jobs import QueueWork, register
from crm.segments.tracking import watched_segments
from workflows.engine.waits.listening import wake_by_events
from workflows.graphs.events import TRIGGER_EVENTS
from workflows.triggers import backlog
from workflows.triggers.consumer import start, start_by_events
from workflows.triggers.segments import waited_for
from workflows.triggers.views import HookViewSet

public.register("workflow-hooks/<str:token>", HookViewSet)
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
watched_segments.connect(waited_for)
