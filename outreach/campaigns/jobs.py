"""The work of campaigns."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.campaigns import starting
from outreach.campaigns.following import follow_campaigns

register(QueueWork("campaigns", starting.start_due, has_due=starting.has_due, queue="send"))
register(PeriodicTask("outreach.campaigns", follow_campaigns, every=timedelta(minutes=1)))
