"""Plans a run: one message per recipient, in batches of 500 that the AI app composes outside of any transaction.

The audience is what its selectors select during planning, without contacts that were created after the run. Messages,
their transitions and the progress commit together, so that a worker that is killed loses and repeats nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from django.db import transaction
from django.utils import timezone

from core.ids import new_id
from core.jobs import checkpoint, finish, notify_workers, release, update_owned
from crm.models import Contact
from outreach.ai.briefs import ContactBriefs, company_brief
from outreach.ai.providers import CompanyBrief, ComposeBrief, ContactBrief, Draft, ProviderError
from outreach.ai.services import provider_of
from outreach.delivery import ledger
from outreach.delivery.context import SendContext
from outreach.delivery.decision import Reason, Stop, decide
from outreach.delivery.models import SendJob
from outreach.delivery.privacy import not_erased
from outreach.genie.audience import Audience
from outreach.genie.models import GenieScheduler
from outreach.suppression.selectors import suppressed_addresses

BATCH = 500


def plan(run: GenieScheduler, deadline: float) -> None:
    """Plan until the audience is done, the deadline passes or the run is cancelled (the run function of the job)."""
    started = monotonic()
    audience = Audience.stored(run.audience)
    if run.total is None:
        with transaction.atomic():
            update_owned(
                run, total=audience.contacts().filter(created_at__lte=run.created_at).count(), started_at=timezone.now()
            )
    company, briefs = company_brief(run.smtp.from_name if run.smtp else ""), ContactBriefs.load()
    going = not run.cancel_requested
    while going:
        ids = audience.after(run.planned_until, BATCH)
        if not ids:
            finish(run, GenieScheduler.Status.COMPLETED, busy_ms=run.busy_ms + _ms(started))
            return
        contacts = Contact.objects.filter(pk__in=ids, is_deleted=False, created_at__lte=run.created_at).select_related(
            "category"
        )
        going = _plan_batch(run, list(contacts.order_by("pk")), ids[-1], company, briefs)
        if monotonic() > deadline:
            break
    release(run, busy_ms=run.busy_ms + _ms(started))


def _ms(started: float) -> int:
    return int((monotonic() - started) * 1000)


def _plan_batch(
    run: GenieScheduler, contacts: Sequence[Contact], place: str, company: CompanyBrief, contact_briefs: ContactBriefs
) -> bool:
    """Compose the batch's messages and commit them with the progress.

    Returns False when the run was cancelled meanwhile.
    """
    stops = _stops(contacts, SendContext.load())
    jobs = [
        SendJob(
            id=new_id(),
            run_id=run.pk,
            contact_id=contact.pk,
            smtp_id=run.smtp_id,
            occurrence=run.occurrence,
            recipient=contact.email or "",
        )
        for contact in contacts
    ]
    writable = [(job, contact) for job, contact in zip(jobs, contacts, strict=True) if contact.pk not in stops]
    recipients = contact_briefs.of([contact for _, contact in writable])
    briefs = [
        _compose_brief(run, contact, recipient, company)
        for (_, contact), recipient in zip(writable, recipients, strict=True)
    ]
    drafts = provider_of(run.ai_type).compose_many(briefs)
    for (job, _), draft in zip(writable, drafts, strict=True):
        _fill(run, job, draft)
    for job in jobs:
        if job.contact_id in stops:
            job.status, job.reason = stops[job.contact_id].state, stops[job.contact_id].reason
    with transaction.atomic():
        going = checkpoint(run, planned_until=place, processed=run.processed + len(contacts))
        if not run.cancel_requested:
            _insert(run, jobs)
            notify_workers("send")
    return going


def _stops(contacts: Sequence[Contact], context: SendContext) -> dict[str, Stop]:
    """Return the decisions about recipients that are never written to, by the contact's id."""
    now = timezone.now()
    suppressed = suppressed_addresses(contact.email for contact in contacts)
    found = {}
    for contact in contacts:
        decision = decide(
            context.decision_input(contact, suppressed=(contact.email or "").lower() in suppressed, now=now), now
        )
        if isinstance(decision, Stop):
            found[contact.pk] = decision
    return found


def _fill(run: GenieScheduler, job: SendJob, draft: Draft | ProviderError) -> None:
    if isinstance(draft, ProviderError):
        if draft.temporary:
            raise draft  # the batch is planned again after a backoff
        job.status, job.reason, job.error = SendJob.Status.FAILED, "compose_failed", draft.detail
        return
    job.subject, job.text, job.html = draft.subject, draft.text, draft.html or ""
    job.status = SendJob.Status.DRAFT if run.draft else SendJob.Status.APPROVED
    job.reason = Reason.AWAITING_APPROVAL if run.draft else ""
    if not run.draft:
        job.approved_at, job.approved_by_id = timezone.now(), run.created_by_id


def _insert(run: GenieScheduler, jobs: Sequence[SendJob]) -> None:
    """Insert the messages and their first two transitions. A message that exists already stays as it is."""
    kept = not_erased([job.contact_id for job in jobs])
    jobs = [job for job in jobs if job.contact_id in kept]
    for job in jobs:
        job.created_by_id = job.updated_by_id = run.created_by_id
    SendJob.objects.bulk_create(jobs, ignore_conflicts=True)
    ledger.record_planned([job.pk for job in jobs], actor_id=run.created_by_id)


def _compose_brief(
    run: GenieScheduler, contact: Contact, recipient: ContactBrief, company: CompanyBrief
) -> ComposeBrief:
    return ComposeBrief(
        contact=recipient,
        company=company,
        prompt=run.prompt,
        tone=run.tone,
        occurrence=run.occurrence,
        seed=f"{run.pk}/{contact.pk}",
    )
