"""The work of outreach runs."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import JobWork, PeriodicTask, QueueWork, register
from crm.bulk_jobs.services import BulkAction
from outreach.messaging.delivery.stopping.stops import stop_waiting
from outreach.prospecting.enrichment.models import Enrichment
from outreach.runs.genie.cadence import follow_ups, occurrences
from outreach.runs.genie.generated.enrichment import enrich, enrichment_ended
from outreach.runs.genie.mails import notify_ended, notify_finished
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.message_jobs import work_on_messages
from outreach.runs.genie.writing.planning import plan

register(JobWork("genie", plan, model=GenieScheduler, queue="ai", task="outreach.plan_runs", ended=notify_ended))
register(
    QueueWork(
        "follow-ups",
        follow_ups.plan_due,
        due_rows=follow_ups.due_messages,
        queue="send",
        task="outreach.plan_follow_ups",
    )
)
register(
    QueueWork(
        "occurrences",
        occurrences.fire_due,
        due_rows=occurrences.due_runs,
        queue="send",
        task="outreach.start_occurrences",
    )
)
register(
    JobWork("enrichment", enrich, model=Enrichment, queue="ai", task="outreach.enrich_leads", ended=enrichment_ended)
)
for action in ("approve_messages", "hold_messages", "retry_messages", "cancel_messages"):
    register(BulkAction(action, work_on_messages))
register(PeriodicTask("outreach.finished_runs", notify_finished, every=timedelta(minutes=1)))
register(PeriodicTask("outreach.stopped_follow_ups", stop_waiting, every=timedelta(minutes=1)))
