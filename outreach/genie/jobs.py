"""The work of outreach runs."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, register
from crm.bulk_jobs.services import BulkAction
from outreach.genie.mails import notify_ended, notify_finished
from outreach.genie.message_jobs import work_on_messages
from outreach.genie.models import GenieScheduler
from outreach.genie.planning import plan

register(JobWork("genie", plan, model=GenieScheduler, queue="bulk", ended=notify_ended))
for action in ("approve_messages", "hold_messages", "retry_messages", "cancel_messages"):
    register(BulkAction(action, work_on_messages))
register(PeriodicTask("outreach.finished_runs", notify_finished, every=timedelta(minutes=1)))
