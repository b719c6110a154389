"""Retention: deletes runs that ended long ago, with their steps, firings of schedules and counts of refused starts.

It deletes batches of rows, found by the index that lists the runs of a workflow by age. The tables have no partitions;
the reasons are in docs/decisions/0020-workflow-engine.md.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection
from django.utils import timezone

from core.ids import min_id_at
from core.internals.django import raw_delete
from core.tenancy import company_scope
from workflows.engine.models import RunSkip, ScheduleFiring, WorkflowRun
from workflows.engine.operations import remove_runs

BATCH = 2000
"""Number of runs deleted at once, with their steps."""
WORKFLOWS = 10
"""Number of workflows with old data that one transaction handles."""
MAX_RUN = timedelta(days=400)
"""A firing is kept for as long as a run may wait, so that no time fires twice."""

# The workflow's own retention stands in its published version.
WITH_OLD = """
SELECT w.id, w.company_id, kept.until FROM workflows_workflow w
LEFT JOIN workflows_workflowversion v ON v.id = w.version_id
CROSS JOIN LATERAL (
    SELECT %(now)s - make_interval(days => coalesce((v.graph -> 'config' ->> 'retention')::int, %(days)s)) AS until
) kept
WHERE EXISTS (
    SELECT FROM workflows_workflowrun r WHERE r.company_id = w.company_id AND r.workflow_id = w.id
    AND r.created_at < kept.until AND r.finished_at < kept.until
)
ORDER BY w.id LIMIT %(most)s
"""


def delete_old() -> bool:
    """Delete a part of the old data, of all companies. Return whether there may be more."""
    now = timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(WITH_OLD, {"now": now, "days": settings.WORKFLOW_RUN_DAYS, "most": WORKFLOWS})
        rows = cursor.fetchall()
    deleted = 0
    for workflow_id, company_id, until in rows:
        with company_scope(company_id):
            deleted += delete_runs_before(workflow_id, until)
        # One workflow with a long past must not take the turns of the others.
        if deleted >= BATCH:
            break
    return bool(deleted) or _delete_marks(now)


def delete_runs_before(workflow_id: str, until: datetime) -> int:
    """Delete a batch of a workflow's runs that ended before the time, oldest first. Return how many."""
    old = WorkflowRun.objects.filter(workflow=workflow_id, created_at__lt=until, finished_at__lt=until)
    # A run that a member restarts at the same time is left to the next time.
    locked = old.order_by("created_at", "pk").select_for_update(of=("self",), skip_locked=True)
    ids = list(locked.values_list("pk", flat=True)[:BATCH])
    remove_runs(ids)
    return len(ids)


def _delete_marks(now: datetime) -> bool:
    """Delete firings and counts, a batch of each, by their ids, which begin with their time."""
    more = False
    for model, kept in ((ScheduleFiring, MAX_RUN), (RunSkip, timedelta(days=settings.WORKFLOW_RUN_DAYS))):
        # Ids begin with their time, so the primary key finds the oldest rows without another index.
        old = model.objects.filter(pk__lt=min_id_at(now - kept)).order_by("pk")
        ids = list(old.values_list("pk", flat=True)[:BATCH])
        raw_delete(model.objects.filter(pk__in=ids))
        more = more or len(ids) == BATCH
    return more
