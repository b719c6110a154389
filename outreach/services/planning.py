"""Planning a run: one message per recipient, in batches of 500, written by the AI app outside of any transaction.

The audience is what its selectors select while the worker walks it by the contacts' ids, without contacts that were made after the run.
Messages, their steps and the place where planning goes on commit together: a worker killed at any moment loses and repeats nothing.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.formats import formats_of
from accounts.models import Company
from core.formats import Formats
from core.ids import new_id
from core.jobs import checkpoint, fenced, finish, release, wake
from core.tenancy import company_id
from crm.models import Contact, ContactTag, CustomField
from outreach.decision import Reason, Stop, decide
from outreach.models import GenieScheduler, SendJob
from outreach.providers import CompanyBrief, ComposeBrief, ContactBrief, Draft, ProviderError, get_provider
from outreach.services import ledger
from outreach.services.ai_apps import KINDS
from outreach.services.audience import Audience
from outreach.services.facts import Surroundings, suppressed_addresses, surroundings

BATCH = 500
_FIELD_LENGTH = 500


@dataclass(frozen=True)
class _Known:
    """What holds for every message of the run: who writes, the custom fields by their keys, and how dates are written."""

    company: CompanyBrief
    labels: Mapping[str, tuple[str, str]]
    formats: Formats


def plan(run: GenieScheduler, deadline: float) -> None:
    """Plan until the audience is done, the deadline passes, or the run is cancelled (a Job's `run`)."""
    started = monotonic()
    audience = Audience.stored(run.audience)
    if run.total is None:
        with transaction.atomic():
            fenced(run, total=audience.contacts().filter(created_at__lte=run.created_at).count(), started_at=timezone.now())
    known = _Known(_company_brief(run), _field_labels(), formats_of(company_id()))
    going = not run.cancel_requested
    while going:
        ids = audience.after(run.planned_until, BATCH)
        if not ids:
            finish(run, GenieScheduler.Status.COMPLETED, busy_ms=run.busy_ms + _ms(started))
            return
        contacts = Contact.objects.filter(pk__in=ids, is_deleted=False, created_at__lte=run.created_at).select_related("category")
        going = _plan_batch(run, list(contacts.order_by("pk")), ids[-1], known)
        if monotonic() > deadline:
            break
    release(run, busy_ms=run.busy_ms + _ms(started))


def _ms(started: float) -> int:
    return int((monotonic() - started) * 1000)


def _plan_batch(run: GenieScheduler, contacts: Sequence[Contact], place: str, known: _Known) -> bool:
    """Write the batch's messages, then commit them with the progress; False when the run has been cancelled meanwhile."""
    stops = _stops(contacts, surroundings())
    jobs = [
        SendJob(
            id=new_id(), run_id=run.pk, contact_id=contact.pk, smtp_id=run.smtp_id, occurrence=run.occurrence, recipient=contact.email or ""
        )
        for contact in contacts
    ]
    writable = [(job, contact) for job, contact in zip(jobs, contacts, strict=True) if contact.pk not in stops]
    tags = _tags([contact.pk for _, contact in writable])
    briefs = [_compose_brief(run, job, contact, tags[contact.pk], known) for job, contact in writable]
    drafts = get_provider(KINDS[run.ai_type].provider).compose_many(briefs)
    for (job, _), draft in zip(writable, drafts, strict=True):
        _fill(run, job, draft)
    for job in jobs:
        if job.contact_id in stops:
            job.status, job.reason = stops[job.contact_id].state, stops[job.contact_id].reason
    with transaction.atomic():
        going = checkpoint(run, planned_until=place, processed=run.processed + len(contacts))
        if not run.cancel_requested:
            _insert(run, jobs)
            wake("send")
    return going


def _stops(contacts: Sequence[Contact], around: Surroundings) -> dict[str, Stop]:
    """The recipients that are never written to, by the decision function."""
    now = timezone.now()
    suppressed = suppressed_addresses(contact.email for contact in contacts)
    found = {}
    for contact in contacts:
        decision = decide(around.facts(contact, suppressed=(contact.email or "").lower() in suppressed, now=now), now)
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
    """Insert the messages and their first two steps; one that was planned before is left alone."""
    for job in jobs:
        job.created_by_id = job.updated_by_id = run.created_by_id
    SendJob.objects.bulk_create(jobs, ignore_conflicts=True)
    ledger.record_planned([job.pk for job in jobs], actor_id=run.created_by_id)


def _company_brief(run: GenieScheduler) -> CompanyBrief:
    company = Company.objects.get(pk=company_id())
    sender = run.smtp.from_name if run.smtp else ""
    return CompanyBrief(name=company.name, description=company.description, website=company.website, sender_name=sender)


def _field_labels() -> dict[str, tuple[str, str]]:
    """Key of a custom field -> its name and the type of its values."""
    fields = CustomField.objects.filter(panel=CustomField.Panel.CONTACT, is_system=False)
    return {key: (name, kind) for key, name, kind in fields.values_list("unique_field_id", "name", "value_type")}


def _tags(contact_ids: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    links = ContactTag.objects.filter(contact_id__in=contact_ids).order_by("tag__name").values_list("contact_id", "tag__name")
    for contact_id, name in links:
        found[contact_id].append(name)
    return found


def _compose_brief(run: GenieScheduler, job: SendJob, contact: Contact, tags: Sequence[str], known: _Known) -> ComposeBrief:
    custom: dict[str, Any] = contact.custom
    fields = {}
    for key, value in custom.items():
        if key in known.labels and isinstance(value, str | int | float):
            label, kind = known.labels[key]
            fields[label] = (_date_text(str(value), known.formats) if kind == CustomField.ValueType.DATE else str(value))[:_FIELD_LENGTH]
    recipient = ContactBrief(
        name=contact.name,
        email=contact.email or "",
        fields=fields,
        tags=tuple(tags),
        category=contact.category.name if contact.category else "",
    )
    return ComposeBrief(
        contact=recipient, company=known.company, prompt=run.prompt, tone=run.tone, occurrence=run.occurrence, seed=f"{run.pk}/{contact.pk}"
    )


def _date_text(stored: str, formats: Formats) -> str:
    """A stored date or moment as the company writes it; text that is neither stays as it is."""
    try:
        return formats.date(dt.date.fromisoformat(stored)) if len(stored) == 10 else formats.datetime(dt.datetime.fromisoformat(stored))
    except ValueError:
        return stored
