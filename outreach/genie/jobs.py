"""The work of outreach runs."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, register
from outreach.genie.mails import notify_ended, notify_finished
from outreach.genie.models import GenieScheduler
from outreach.genie.planning import plan

register(JobWork("genie", plan, model=GenieScheduler, queue="bulk", ended=notify_ended))
register(PeriodicTask("outreach.finished_runs", notify_finished, every=timedelta(minutes=1)))
