"""Tasks that produce a run's recipients before its messages are planned: the search, and their enrichment.

Meanwhile the run is queued for later. Each task wakes it in the transaction of its own end. The run also checks by
itself, so that a lost wake-up only costs time. The tasks are locked before the run, wherever both are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from core.jobs import notify_workers, release
from core.jobs.runner import notify_ended
from outreach.prospecting.enrichment.models import Enrichment
from outreach.prospecting.lead_generation.models import LeadGeneration
from outreach.prospecting.lead_generation.services import cancel_generation
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler

OPEN = (LeadGeneration.Status.QUEUED, LeadGeneration.Status.RUNNING, LeadGeneration.Status.PAUSED)
MAX_RETRY_DELAY = timedelta(hours=1)
"""Maximum delay before a run checks its search on its own."""


@dataclass(frozen=True)
class Makers:
    """The search and the enrichments of a run that have not ended."""

    search: LeadGeneration | None
    enrichments: list[Enrichment]


def lock_makers(run_id: str) -> Makers:
    """Return the open tasks that produce the run's recipients, locked until the transaction ends."""
    searches = GenieScheduler.objects.filter(pk=run_id).values("generation")
    return Makers(
        # Makers before the run: their workers end them first and wake the run then.
        LeadGeneration.objects.select_for_update(of=("self",)).filter(pk__in=searches, status__in=OPEN).first(),
        list(Enrichment.objects.select_for_update(of=("self",)).filter(run=run_id, status__in=OPEN).order_by("pk")),
    )


def cancel_makers(makers: Makers) -> None:
    """Cancel them, in the transaction that has cancelled their run."""
    if makers.search is not None:
        cancel_generation(makers.search.pk)
    for job in makers.enrichments:
        if job.status == Enrichment.Status.RUNNING:
            job.cancel_requested = True
        else:
            job.status = Enrichment.Status.CANCELLED
            job.finished_at = timezone.now()
        job.save(update_fields=["cancel_requested", "status", "finished_at", "updated_at"])


def recipients_ready(run: GenieScheduler) -> bool:
    """Return whether the claimed run can be planned. Otherwise it is released, to wait for its recipients."""
    if run.planned_until or (run.generation_id is None and not run.enrichment_enabled):
        return True
    with transaction.atomic():
        lock_run(run.pk)  # a maker that ends wakes the run before or after this, never in between
        # The search that has ended just now has written the audience.
        run.refresh_from_db(fields=["audience"])
        until = _waits_until(run)
        if until is not None:
            # Waiting is no failed attempt.
            release(run, due_at=until, attempts=0)
    return until is None


def _waits_until(run: GenieScheduler) -> datetime | None:
    """Return the time of the run's next check; None: its recipients are there. It starts the enrichment if that is
    due."""
    now = timezone.now()
    if LeadGeneration.objects.filter(pk=run.generation_id, status__in=OPEN).exists():
        return now + MAX_RETRY_DELAY
    if not run.enrichment_enabled:
        return None
    wait = timedelta(minutes=settings.ENRICHMENT_WAIT_MINUTES)
    # One enrichment for each occurrence, whichever worker comes first.
    job, created = Enrichment.objects.get_or_create(run=run, occurrence=run.occurrence, defaults={"until": now + wait})
    if created:
        notify_workers("enrichment")
    # Late answers must not hold the messages back for ever.
    return job.until if job.status in OPEN and now < job.until else None


def audience_cutoff(run: GenieScheduler) -> datetime:
    """Return until when contacts of the run's audience were made; later ones don't belong to it."""
    began_at = run.occurrence_began_at or run.created_at
    if run.generation_id is None:
        return began_at
    ended: datetime | None = LeadGeneration.objects.values_list("finished_at", flat=True).get(pk=run.generation_id)
    return ended or began_at


def wake_run(run_id: str, **values: object) -> None:
    """Make the run due now, in the transaction that ends its wait."""
    run = lock_run(run_id)
    if run is None or run.cancelled_at is not None:
        return
    now = timezone.now()
    GenieScheduler.objects.filter(pk=run_id).update(updated_at=now, **values)
    # A run that rests for another reason keeps its time.
    GenieScheduler.objects.filter(pk=run_id, status=GenieScheduler.Status.QUEUED).update(due_at=now)
    notify_workers("genie")


def end_run(run_id: str, error: str) -> None:
    """Fail the run whose recipients could not be found, in the transaction that ends the search."""
    run = lock_run(run_id)
    if run is None or run.cancelled_at is not None or run.status not in OPEN:
        return
    run.status = GenieScheduler.Status.FAILED
    run.error = error
    run.finished_at = timezone.now()
    run.lease = run.worker = None  # a worker that looks at it at this moment has lost it
    run.save(update_fields=["status", "error", "finished_at", "lease", "worker", "updated_at"])
    notify_ended(run)
