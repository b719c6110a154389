"""Plans the follow-ups of runs: each once, its delay after the previous message was sent.

The sent message has the time (`next_step_at`). Planning inserts the follow-up without content, clears that time and
wakes the run, in one transaction. The run's worker then writes it (genie.writing). A worker that is killed
leaves either all of that or nothing, and the constraint sendjob_once refuses a second one.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.jobs import notify_workers
from core.jobs.registry import Moment
from core.tenancy import company_scope, unscoped
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.privacy import not_erased
from outreach.messaging.delivery.senders import choose_sender
from outreach.messaging.delivery.stopping.stops import next_of
from outreach.runs.genie.cadence.steps import CHAT, THREAD, Step, steps_of
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler

BATCH = 1000
RUNS = 50
Status = GenieScheduler.Status


def due_messages(now: Moment) -> list[QuerySet[SendJob]]:
    """Return the messages whose follow-up is due to be planned."""
    return [SendJob.objects.filter(next_step_at__lte=now)]


def plan_due(deadline: float) -> None:
    """Plan follow-ups until none is due or monotonic() passes the deadline."""
    while monotonic() < deadline:
        with unscoped(reason="worker: runs of all companies with follow-ups due"):
            due = SendJob.objects.filter(next_step_at__lte=timezone.now()).order_by()
            # Found across companies, planned run by run: the lock of the run comes before those of its
            # messages.
            runs = list(due.values_list("run_id", "company_id").distinct()[:RUNS])
        if not runs:
            return
        for run_id, company in runs:
            with company_scope(company):
                plan_follow_ups(run_id)


@transaction.atomic
def plan_follow_ups(run_id: str) -> int:
    """Plan up to BATCH due follow-ups of the run and wake it. Returns how many were planned.

    Nothing follows in a run that was cancelled, or for contacts that were erased.
    """
    # A cancellation holds the same lock, so no follow-up is planned after it.
    run = lock_run(run_id)
    if run is None:
        return 0
    rows = SendJob.objects.select_for_update(of=("self",)).filter(run=run, next_step_at__lte=timezone.now())
    due = list(rows.select_related("contact").defer("text", "html", "evidence").order_by("next_step_at", "pk")[:BATCH])
    # Erased contacts keep their rows without an address, and get nothing more.
    kept = not_erased([job.contact_id for job in due]) if _goes_on(run) else set()
    steps = steps_of(run.outreach_cadence)
    going = [job for job in due if job.contact_id in kept and job.next_delay is not None and job.step + 1 in steps]
    senders = _senders_of(run, steps)
    planned = [_follow_up(run, job, steps, senders) for job in going]
    # A follow-up that was stopped before its time has a row already (stop_thread).
    SendJob.objects.bulk_create(planned, ignore_conflicts=True)
    ledger.record_planned([job.pk for job in planned], actor_id=run.created_by_id)
    # Also of those that get none, or they would be due for ever.
    SendJob.objects.filter(pk__in=[job.pk for job in due]).update(next_step_at=None)
    if planned and run.status != Status.FAILED:
        wake(run)
    return len(planned)


def _goes_on(run: GenieScheduler) -> bool:
    return run.cancelled_at is None and not run.is_deleted


def _senders_of(run: GenieScheduler, steps: dict[int, Step]) -> dict[str, Sender]:
    """Return the senders of the steps that have a channel of their own: by the channel those of mail vendors, by their
    ids chat apps, which their templates belong to."""
    chosen = run.custom_channels if run.custom_channel_selection else {}
    senders: dict[str, Sender] = {}
    chats = {step.chat["app"] for step in steps.values() if step.chat}
    senders |= ChatApp.objects.in_bulk([*chats]) if chats else {}
    for channel in {step.channel for step in steps.values()} - {THREAD, CHAT}:
        with suppress(NamedError):  # without one they go by the sender of the message before
            senders[channel] = choose_sender(None, chosen.get(channel), letter=channel[-1])
    return senders


def _follow_up(run: GenieScheduler, before: SendJob, steps: dict[int, Step], senders: dict[str, Sender]) -> SendJob:
    step = steps[before.step + 1]
    follows = steps.get(step.number + 1)
    # Stop rules count from the beginning of the thread: an older reply must not end it.
    began_at = run.created_at if before.occurrence == 1 else before.created_at
    follow_up = next_of(
        before,
        stop_on=list(step.stop_on),
        window=step.window or run.window,
        next_delay=follows.delay if follows else None,
        thread_began_at=before.thread_began_at or began_at,
        created_by_id=run.created_by_id,
        updated_by_id=run.created_by_id,
    )
    sender = senders.get(step.chat["app"] if step.chat else step.channel)
    if sender is None and not step.chat and follow_up.chat_app_id:
        sender = run.sender  # mail again, after a step by chat
    if sender is not None:
        # One sender for each message: the channel's replaces whichever the thread had.
        follow_up.smtp = None
        follow_up.mail_app = None
        follow_up.chat_app = None
        follow_up.channel = sender.app_key
        # A vendor's thread belongs to the account that began it.
        follow_up.provider_thread_id = ""
        setattr(follow_up, sender.job_column, sender)
    if follow_up.chat_app_id != before.chat_app_id:
        follow_up.contact = before.contact
        follow_up.recipient = follow_up.address
    # Written down as cancelled, so that people see why nothing follows.
    if run.status == Status.FAILED:
        follow_up.status = SendJob.Status.CANCELLED
        follow_up.reason = "run_failed"
    return follow_up


def wake(run: GenieScheduler) -> None:
    """Wake a locked run that rests, or has planned everybody, to write waiting messages. A running one sees them by
    itself."""
    # A running worker looks for waiting messages before it ends (planning._end), under the same lock.
    rests = GenieScheduler.objects.filter(pk=run.pk, status__in=(Status.COMPLETED, Status.QUEUED))
    rests.update(status=Status.QUEUED, due_at=timezone.now(), attempts=0, deaths=0, updated_at=timezone.now())
    notify_workers("genie")
