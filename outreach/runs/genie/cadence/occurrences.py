"""Occurrences of recurring runs: the n-th begins n - 1 intervals after the creation of the run.

A firing is one UPDATE that advances the run's number and its next time, so that it happens once, whichever worker
fires. Firings missed during a downtime become one, and then the schedule continues. The next time is never earlier than
the fired one, so that a clock that is set back fires nothing again.
"""

from __future__ import annotations

from time import monotonic

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core.access import automation_entitlement
from core.errors import NamedError
from core.events import emit
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.tenancy import company_id, company_scope, unscoped
from outreach.runs.genie.cadence.schedule import slot_after
from outreach.runs.genie.generated.makers import end_run
from outreach.runs.genie.generated.runs import restart_search
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler

RUNS = 100
Status = GenieScheduler.Status


def _due(now: Moment) -> QuerySet[GenieScheduler]:
    """Return the runs whose next occurrence is due. One that still plans the last one is not: it comes afterwards."""
    planned = Q(status__in=(Status.COMPLETED, Status.FAILED), cancelled_at=None, is_deleted=False)
    due = GenieScheduler.objects.filter(planned, recurring=True, next_occurrence_at__lte=now)
    return due.filter(paused_at=None)


def due_runs(now: Moment) -> list[QuerySet[GenieScheduler]]:
    """Return the runs whose next occurrence is due."""
    return [_due(now)]


def fire_due(deadline: float) -> None:
    """Begin due occurrences until none is left or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: runs of all companies with an occurrence due"):
            runs = list(_due(timezone.now()).order_by("next_occurrence_at").values_list("pk", "company_id")[:RUNS])
        if not runs:
            return
        for run_id, company in runs:
            with company_scope(company):
                fire(run_id)


@transaction.atomic
def fire(run_id: str) -> bool:
    """Begin the next occurrence of the run if it is due. Returns whether it was."""
    now = timezone.now()
    # The conditions are checked again with the lock: another worker may have fired it.
    run = _due(timezone.now()).select_for_update(no_key=True, of=("self",)).filter(pk=run_id).first()
    if run is None or run.interval_ms is None or run.next_occurrence_at is None:
        return False
    this_one = GenieScheduler.objects.filter(
        pk=run.pk, occurrence=run.occurrence, next_occurrence_at=run.next_occurrence_at
    )
    # Never before the time that fires now, even if the clock was set back.
    following = slot_after(run.created_at, run.interval_ms, max(now, run.next_occurrence_at))
    # Without a subscription, messages would gather and all go at once when it is renewed.
    if not _has_subscription():  # what would be written could not go; the time passes
        this_one.update(next_occurrence_at=following)
        return False
    if not this_one.update(occurrence=F("occurrence") + 1, next_occurrence_at=following, occurrence_began_at=now):
        return False
    run.refresh_from_db()
    if run.of_campaign_id is None:
        emit("genie.recurred", [run.pk], payloads={run.pk: {"occurrence": run.occurrence}}, automation=run.automation)
    begin_occurrence(run)
    return True


def _has_subscription() -> bool:
    try:
        automation_entitlement(company_id())
    except NamedError:
        return False
    return True


def begin_occurrence(run: GenieScheduler) -> None:
    """Start the planning of the run's audience again by a worker, in the transaction of the firing.

    Contacts with a message of the run get no other. A run that finds its recipients searches for others. If it may not,
    it fails, and rests until a member resumes it.
    """
    GenieScheduler.objects.filter(pk=run.pk).update(
        status=Status.QUEUED,
        due_at=timezone.now(),
        planned_until="",
        planned_at=None,
        # Counted again, since the audience of a further occurrence is another one.
        total=None,
        concluded_at=None,
        attempts=0,
        deaths=0,
        error="",
        updated_at=timezone.now(),
    )
    if run.generation_id is not None:
        try:
            # A savepoint: a search that is refused must not undo the firing.
            with transaction.atomic():
                restart_search(run)
        except NamedError as error:
            end_run(run.pk, f"Nobody was looked for. {error.detail}")
    notify_workers("genie")


@transaction.atomic
def stop_recurring(*, run_id: str, member_id: str) -> None:
    """Stop further occurrences. A run that was stopped already stays so.

    Raises CampaignNotFound_404, and CampaignCannotBeUpdated_400 for a run without recurrence.
    """
    run = _recurring(run_id)
    GenieScheduler.objects.filter(pk=run.pk).update(
        recurring=False, next_occurrence_at=None, updated_by_id=member_id, updated_at=timezone.now()
    )


@transaction.atomic
def resume_recurring(*, run_id: str, member_id: str) -> None:
    """Resume occurrences from the next time of the schedule. A recurring run stays as it is.

    Raises CampaignNotFound_404, and CampaignCannotBeUpdated_400 for a cancelled run or one without recurrence.
    """
    run = _recurring(run_id)
    if run.cancelled_at is not None:
        raise NamedError("CampaignCannotBeUpdated_400", "the run was cancelled", field="schedulerId")
    if run.next_occurrence_at is not None:
        return
    GenieScheduler.objects.filter(pk=run.pk).update(
        recurring=True,
        # Missed times are not made up for: the schedule goes on as if it had run.
        next_occurrence_at=slot_after(run.created_at, run.interval_ms or 0, timezone.now()),
        concluded_at=None,
        updated_by_id=member_id,
        updated_at=timezone.now(),
    )


def _recurring(run_id: str) -> GenieScheduler:
    run = lock_run(run_id)
    if run is None or run.is_deleted or run.of_campaign_id is not None:
        raise NamedError("CampaignNotFound_404", "there is no such run in this company", field="schedulerId")
    if run.interval_ms is None:
        raise NamedError("CampaignCannotBeUpdated_400", "the run was not made to recur", field="schedulerId")
    return run
