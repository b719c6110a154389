"""The registrations of outreach runs."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Value
from django.db.models.functions import Coalesce, Left, NullIf

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.settings.notices import register_notice
from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from core.jobs import JobWork, PeriodicTask, QueueWork, register
from crm.bulk_jobs.services import BulkAction
from crm.bulk_jobs.under_way import Work, register_work
from crm.exports.lists import register_source
from outreach.connections.ai.services import ai_apps_changed
from outreach.messaging.delivery.stopping.stops import stop_waiting
from outreach.prospecting.enrichment.models import Enrichment
from outreach.prospecting.lead_generation.services import lead_generation_ended, lead_generation_run
from outreach.runs.genie.cadence import follow_ups, occurrences
from outreach.runs.genie.filters import RUN_FIELDS
from outreach.runs.genie.generated.enrichment import enrich, enrichment_ended
from outreach.runs.genie.generated.runs import run_of, search_ended
from outreach.runs.genie.mails import FAILED, FINISHED, PLANNED, notify_ended, notify_finished
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.review.lead_views import LeadMessagesViewSet
from outreach.runs.genie.review.message_jobs import work_on_messages
from outreach.runs.genie.review.message_views import SendJobViewSet
from outreach.runs.genie.selectors import kept_runs
from outreach.runs.genie.views import RunViewSet
from outreach.runs.genie.writing.planning import plan
from outreach.runs.genie.writing.writer import wake_waiting

protected.register("genie/send-jobs", SendJobViewSet)
protected.register("genie", RunViewSet)
protected.register("genie/leads", LeadMessagesViewSet)
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
for notice in (PLANNED, FAILED, FINISHED):
    register_notice(notice)
ai_apps_changed.connect(wake_waiting)
lead_generation_ended.connect(search_ended)
lead_generation_run.connect(run_of)
count_usage("genie", kept_runs)
register_first_step(FirstStep("run", kept_runs, 4))
register_source("genie", RunViewSet)
register_source("genie/send-jobs", SendJobViewSet)
title = Coalesce(NullIf("name", Value("")), Left("prompt", 80))
register_work(Work("genie", "genie", lambda actor: kept_runs().filter(cancelled_at=None), title))
register_kind(
    Kind("genie", "genie", lambda actor: kept_runs(), RUN_FIELDS.pick("name", "prompt"), title, Value(""), 30)
)
