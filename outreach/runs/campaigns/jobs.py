"""The work of campaigns."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.runs.campaigns import launch
from outreach.runs.campaigns.progress import follow_campaigns

register(
    QueueWork(
        "campaigns", launch.start_due, due_rows=launch.due_campaigns, queue="send", task="outreach.start_campaigns"
    )
)
register(PeriodicTask("outreach.campaigns", follow_campaigns, every=timedelta(minutes=1)))
