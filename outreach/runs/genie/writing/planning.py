"""Plans a run: one message per recipient, in batches that the AI app composes outside of any transaction.

The audience is the result of its selectors during planning, without contacts that were created after the run. A later
occurrence counts from its own beginning, and omits contacts with a message of the run. Planning waits for a search or
an enrichment of the recipients (outreach.runs.genie.generated.makers).

Messages, their transitions and the progress commit together, so that a killed worker loses and repeats nothing. A run
is planned when its last message has content, or none that could be created; until then it rests
(outreach.runs.genie.writing). A due follow-up wakes it again (outreach.runs.genie.cadence.follow_ups).
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from core.ids import new_id
from core.jobs import finish, notify_workers, release, save_progress, update_owned
from crm.models import Contact
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.privacy import not_erased
from outreach.runs.genie.audience import Audience
from outreach.runs.genie.cadence.steps import delay_after
from outreach.runs.genie.generated.makers import audience_cutoff, recipients_ready
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.variants import variant_of
from outreach.runs.genie.writing.writer import Writer, rests_until

BATCH = 500


def plan(run: GenieScheduler, deadline: float) -> None:
    """Plan until all messages are written, the deadline passes or the run is cancelled (the job's run function)."""
    # Planned too early, those whom the search finds later would be left out.
    if not run.cancel_requested and not recipients_ready(run):
        return
    started = monotonic()
    audience = Audience.from_json(run.audience)
    if run.total is None:
        # The count and the start commit together: a resumed job must not count planned people twice.
        with transaction.atomic():
            count = _recipients(run, audience.contacts()).count()
            update_owned(run, total=run.processed + count, started_at=run.started_at or timezone.now())
    writer = Writer.of(run)
    going = not run.cancel_requested
    while going:
        # As many as the app writes at once: what a kill loses is one batch of its work.
        most = min(BATCH, writer.provider.batch)
        # A finished run plans nobody new. Later occurrences skip people who have a message, so they read many people
        # in one step, however few messages they write.
        planned = run.rewriting or run.planned_at
        ids = [] if planned else audience.next_ids(run.planned_until, most if run.occurrence == 1 else BATCH)
        if ids:
            recipients = _recipients(run, Contact.objects.filter(pk__in=ids, is_deleted=False))
            # One more than are written shows where the next batch begins.
            contacts = list(recipients.select_related("category").order_by("pk")[: most + 1])
            place = contacts[most - 1].pk if len(contacts) > most else ids[-1]
            going = _plan_batch(writer, contacts[:most], place)
        elif not run.planned_at:
            # Before the rest is written, since the winner of a test may be chosen from then on.
            update_owned(run, planned_at=timezone.now())
        else:
            written = writer.write_waiting()
            if written is None:
                _end(run, _ms(started))
                return
            going = written
        if monotonic() > deadline:
            break
    release(run, busy_ms=run.busy_ms + _ms(started))


def _recipients(run: GenieScheduler, contacts: QuerySet[Contact]) -> QuerySet[Contact]:
    """Return the contacts to whom the occurrence writes."""
    # Without it a run whose own answers make contacts would never end.
    recipients = contacts.filter(created_at__lte=audience_cutoff(run))
    if run.occurrence > 1 and not run.writes_again:
        recipients = recipients.exclude(Exists(SendJob.objects.filter(run=run, contact_id=OuterRef("pk"))))
    return recipients


@transaction.atomic
def _end(run: GenieScheduler, busy: int) -> None:
    """Finish the run, or rest it while messages wait for its AI app.

    Concurrent requests that queue messages for writing, by outreach.runs.genie.review.rewrites or as follow-ups, are
    serialised with it.
    """
    # Queueing a message for writing takes this lock, so no message is left in a run that has ended.
    lock_run(run.pk)
    until = rests_until(run)
    if until is None and run.rewriting:
        ended = {"status": GenieScheduler.Status.COMPLETED, "rewriting": False, "lease": None, "worker": None}
        update_owned(run, busy_ms=run.busy_ms + busy, **ended)
    elif until is None:
        finish(run, GenieScheduler.Status.COMPLETED, busy_ms=run.busy_ms + busy)
    else:
        # However often it has rested, an unexpected failure has all its attempts.
        release(run, due_at=until, busy_ms=run.busy_ms + busy, attempts=0)


def _ms(started: float) -> int:
    return int((monotonic() - started) * 1000)


def _plan_batch(writer: Writer, contacts: Sequence[Contact], place: str) -> bool:
    """Compose the batch's messages and commit them with the progress.

    Returns False when the run was cancelled meanwhile.
    """
    run = writer.run
    delay = delay_after(run.outreach_cadence, 1)
    jobs = [
        run.first_message(
            contact, id=new_id(), next_delay=delay, variant=variant_of(run.content, run.processed + place_in_batch)
        )
        for place_in_batch, contact in enumerate(contacts)
    ]
    # Outside of the transaction: the app may take minutes.
    writer.write(jobs, contacts)
    with transaction.atomic():
        going = save_progress(run, planned_until=place, processed=run.processed + len(contacts))
        # checkpoint() has read the flag under the row's lock: a cancellation comes wholly before or after.
        if not run.cancel_requested:
            _insert(run, jobs)
            notify_workers("send")
    return going


def _insert(run: GenieScheduler, jobs: Sequence[SendJob]) -> None:
    """Insert the messages and their first two transitions. A message that exists already stays as it is."""
    # Contacts that were erased while the app was writing.
    kept = not_erased([job.contact_id for job in jobs])
    jobs = [job for job in jobs if job.contact_id in kept]
    for job in jobs:
        job.created_by_id = job.updated_by_id = run.created_by_id
    # sendjob_once: what a worker before this one has planned stays as it is.
    SendJob.objects.bulk_create(jobs, ignore_conflicts=True)
    ledger.record_planned([job.pk for job in jobs], actor_id=run.created_by_id)
