"""The enrichment of a run: each recipient who can be written to is asked about once, before messages are planned.

An answer becomes proposals, which are stored together with the job's place, so that a worker that is killed asks again
about one person at most.
"""

from __future__ import annotations

from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.utils import timezone

from core.jobs import finish, release, save_progress, update_owned
from crm.models import Contact
from outreach.connections.data_apps.services import record_error
from outreach.connections.data_apps.transport import DataAppError
from outreach.messaging.delivery.privacy import not_erased
from outreach.prospecting.enrichment.base import EnrichmentProvider, Person
from outreach.prospecting.enrichment.models import Enrichment
from outreach.prospecting.enrichment.selectors import enrichment_provider
from outreach.prospecting.enrichment.services import propose
from outreach.runs.genie.audience import Audience, sendable_contacts
from outreach.runs.genie.generated.makers import audience_cutoff, wake_run
from outreach.runs.genie.models import GenieScheduler

BATCH = 100
MAX_RETRY_DELAY = timedelta(minutes=1)
NO_APP = "No enrichment app is active any more."


def enrich(job: Enrichment, deadline: float) -> None:
    """Ask about recipients until all are, the deadline passes, or the job's own time is over."""
    run, provider = GenieScheduler.objects.get(pk=job.run_id), enrichment_provider()
    if job.cancel_requested or run.cancelled_at is not None:
        finish(job, Enrichment.Status.CANCELLED)
        return
    if provider is None:
        finish(job, Enrichment.Status.COMPLETED, error=NO_APP)
        return
    audience, created_until = Audience.from_json(run.audience), audience_cutoff(run)
    if job.total is None:
        total = sendable_contacts(audience.contacts()).filter(created_at__lte=created_until).count()
        update_owned(job, total=total, started_at=timezone.now())
    # Walked by id: after a kill the job goes on after the last contact that it has stored.
    while ids := audience.next_ids(job.position or "", BATCH):
        contacts = sendable_contacts(
            Contact.objects.filter(pk__in=ids, is_deleted=False, created_at__lte=created_until)
        )
        for contact in contacts.order_by("pk"):
            # One by one: each answer costs money, and is stored before the next is asked for.
            if not _enrich_one(job, provider, contact):
                return
            if monotonic() > deadline:
                release(job)
                return
        if not save_progress(job, position=ids[-1]):
            release(job)
            return
    finish(job, Enrichment.Status.COMPLETED)


def _enrich_one(job: Enrichment, provider: EnrichmentProvider, contact: Contact) -> bool:
    """Ask about one recipient. Returns False when the job has ended, rests or was asked to stop."""
    if timezone.now() >= job.until:
        message = f"Its time was over: {job.processed} of {job.total} were asked about. {job.error}".strip()
        finish(job, Enrichment.Status.COMPLETED, error=message)
        return False
    person = Person(name=contact.name, email=contact.email or "", phone=contact.contact_number or "")
    try:
        # Outside of any transaction.
        values = provider.enrich(person)
    except DataAppError as error:
        record_error(provider.app, error.detail)
        _give_up_or_rest(job, error)
        return False
    with transaction.atomic():
        # The contact may have been erased while the provider was asked.
        kept = not_erased([contact.pk])
        proposed = propose(contact, values, provider.app, job.run_id) if kept else 0
        going = save_progress(
            job,
            # With the proposals in one transaction: a kill costs one repeated question at most.
            position=contact.pk,
            processed=job.processed + 1,
            proposed=job.proposed + proposed,
            failures=0,
            error="",
        )
    if not going:
        release(job)
    return going


def _give_up_or_rest(job: Enrichment, error: DataAppError) -> None:
    if not error.temporary:
        finish(job, Enrichment.Status.FAILED, error=error.detail)
        return
    # Bounded by the job's own end, so that a provider that is down cannot hold the run back for long.
    wait = min(timedelta(seconds=2 ** min(job.failures + 1, 6)), MAX_RETRY_DELAY)
    due = min(timezone.now() + wait, job.until)
    release(job, due_at=due, attempts=0, failures=job.failures + 1, error=error.detail)


def enrichment_ended(job: Enrichment) -> None:
    """Continue the planning of the run, in the transaction that ends its enrichment."""
    wake_run(job.run_id)
