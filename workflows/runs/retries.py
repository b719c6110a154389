"""Restarts of many runs, by a bulk job. Each run is separate: a failure of one does not affect the others."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max, QuerySet

from core.errors import NamedError
from core.jobs import notify_workers
from core.lists import BulkSelection
from core.types import JsonObject
from crm.bulk_jobs.services import batch_rows, process_batches
from crm.models import BulkJob
from workflows.engine import operations
from workflows.engine.models import WorkflowRun
from workflows.graphs.models import WorkflowVersion
from workflows.graphs.rights import allow_all
from workflows.runs.filters import RUN_FIELDS

MAX_BATCH_RUNS = 200
"""The most runs of a batch. Their rows stay locked until it commits."""
MAX_REPORTED = 1000


@transaction.atomic
def redrive(
    *, member_id: str | None, selection: BulkSelection, place: str, version: str, resend: bool
) -> tuple[BulkJob, int]:
    """Queue a job that restarts the selected runs. Returns it, and how many they are now.

    Raises WorkflowRunNotFound_404 when ids name none, InvalidRequest_400 for a place that none of them has.
    """
    runs = selection.apply(WorkflowRun.objects.all())
    last_id = runs.aggregate(until=Max("pk"))["until"]
    if last_id is None and not selection.everything:
        raise NamedError(operations.NOT_FOUND, "none of them is a run of this company", field="ids")
    total = runs.count() if last_id is not None else 0
    if total and place not in ("start", "failed"):
        _check_place(runs, place)
    job: BulkJob = BulkJob.objects.create(
        action=BulkJob.Action.REDRIVE_RUNS,
        panel=BulkJob.Panel.WORKFLOW,
        selection=dict(selection.raw),
        change={"from": place, "version": version, "resend": resend},
        until=last_id,
        total=total,
        created_by_id=member_id,
    )
    notify_workers("bulk-job")
    return job, total


def _check_place(runs: QuerySet[WorkflowRun], place: str) -> None:
    """Raise InvalidRequest_400 for a node that no version of the runs' workflows has."""
    workflows = runs.order_by().values("workflow").distinct()
    node = {"nodes": [{"id": place}]}
    if not WorkflowVersion.objects.filter(workflow__in=workflows, graph__contains=node).exists():
        raise NamedError(
            "InvalidRequest_400", f"start, failed, or a node of the runs; not {place[:64]!r}", field="from"
        )


def redrive_runs(job: BulkJob, deadline: float) -> None:
    """Work on a job that restarts runs, in the order of their ids."""
    process_batches(job, deadline, _restart_next)


def _remaining_runs(job: BulkJob) -> QuerySet[WorkflowRun]:
    """Return the remaining runs of the job. Those that began after its creation are not included."""
    selection = BulkSelection.parse(job.selection, job.selection["query"], RUN_FIELDS, now=job.created_at)
    rows: QuerySet[WorkflowRun] = selection.apply(WorkflowRun.objects.filter(pk__gt=job.position or ""))
    return rows.filter(pk__lte=job.until or "")


def _restart_next(job: BulkJob) -> JsonObject | None:
    size = min(batch_rows(job), MAX_BATCH_RUNS)
    ids = list(_remaining_runs(job).order_by("pk").values_list("pk", flat=True)[:size])
    if not ids:
        return None
    member = job.created_by
    refusals: dict[str, str] = {}
    for id in ids:
        try:
            # A savepoint per run: one that cannot restart leaves the others of the batch restarted.
            with transaction.atomic():
                operations.restart_run(
                    id=id,
                    may=allow_all if member is None else member.may_on_all,
                    place=job.change["from"],
                    latest=job.change["version"] == "latest",
                    resend=job.change["resend"],
                )
        except NamedError as error:
            refusals[id] = error.detail or error.name
    failures = {**job.report.get("failed", {}), **refusals}
    return {
        "position": ids[-1],
        "processed": job.processed + len(ids),
        "changed": job.changed + len(ids) - len(refusals),
        "failed": job.failed + len(refusals),
        "report": {"failed": dict(list(failures.items())[:MAX_REPORTED])} if failures else {},
    }
