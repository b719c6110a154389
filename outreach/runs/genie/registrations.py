"""The registrations of outreach runs."""

from __future__ import annotations

from django.db.models import Value
from django.db.models.functions import Coalesce, Left, NullIf

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.settings.notices import register_notice
from core.access import count_usage
from crm.bulk_jobs.under_way import Work, register_work
from crm.exports.sources import register_source
from outreach.connections.ai.services import ai_apps_changed
from outreach.prospecting.lead_generation.services import lead_generation_ended, lead_generation_run
from outreach.runs.genie.generated.runs import run_of, search_ended
from outreach.runs.genie.mails import FAILED, FINISHED, PLANNED
from outreach.runs.genie.review.message_views import SendJobViewSet
from outreach.runs.genie.selectors import kept_runs
from outreach.runs.genie.views import RunViewSet
from outreach.runs.genie.writing.writer import wake_waiting

for notice in (PLANNED, FAILED, FINISHED):
    register_notice(notice)
ai_apps_changed.connect(wake_waiting)
lead_generation_ended.connect(search_ended)
lead_generation_run.connect(run_of)
count_usage("genie", kept_runs)
register_first_step(FirstStep("run", kept_runs, 4))
register_source("genie", RunViewSet)
register_source("genie/send-jobs", SendJobViewSet)
name = Coalesce(NullIf("name", Value("")), Left("prompt", 80))
register_work(Work("genie", "genie", lambda actor: kept_runs().filter(cancelled_at=None), name))
