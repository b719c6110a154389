"""Contacts that join a campaign one by one through workflows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from crm.models import Contact
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.runs.campaigns.models import Campaign
from outreach.runs.campaigns.selectors import run_of
from outreach.runs.campaigns.services import get_campaign, state_error
from outreach.runs.genie.automated import insert_messages, stops_of_contacts
from outreach.runs.genie.cadence.steps import delay_after
from outreach.runs.genie.locks import lock_run
from outreach.runs.genie.models import GenieScheduler
from outreach.runs.genie.variants import variant_of

MAX_NAMED = 10_000
"""The most contacts that a campaign names one by one; a segment, or a tag, holds more."""
Status = Campaign.Status
Result = tuple[str, str, str]
"""Status and reason of the contact's message ("" while the campaign has not begun), and the message's id."""


@transaction.atomic
def join_campaign(*, id: str, contacts: Sequence[Contact], workflow_runs: Mapping[str, str]) -> dict[str, Result]:
    """Add contacts to a campaign: to its audience before it starts, and to its run afterwards.

    In the run each gets the campaign's message once. `workflow_runs` has the workflow run of each contact. Returns
    contact -> result. Raises CampaignNotFound_404, and CampaignCannotBeUpdated_400 for one that has ended, or has too
    many already.
    """
    campaign = get_campaign(id, lock=True)
    run = run_of(campaign.pk)
    if run is None and campaign.status in (Status.DRAFT, Status.SCHEDULED):
        _name(campaign, contacts)
        return {contact.pk: ("", "", "") for contact in contacts}
    locked = lock_run(run.pk) if run is not None and campaign.status in (Status.RUNNING, Status.PAUSED) else None
    if locked is None:
        raise state_error(
            f"the campaign is {campaign.status}; contacts join it before it begins, or under way", field="status"
        )
    return _plan(locked, contacts, workflow_runs)


def _name(campaign: Campaign, contacts: Sequence[Contact]) -> None:
    named = list(dict.fromkeys([*(campaign.audience.get("contactIds") or ()), *(contact.pk for contact in contacts)]))
    if len(named) > MAX_NAMED:
        raise state_error(
            f"names more than {MAX_NAMED:,}; write to a segment, and add contacts to that", field="contactIds"
        )
    campaign.audience = {**campaign.audience, "contactIds": named}
    campaign.save(update_fields=["audience", "updated_at"])


def _plan(run: GenieScheduler, contacts: Sequence[Contact], workflow_runs: Mapping[str, str]) -> dict[str, Result]:
    rows = SendJob.objects.filter(run=run, step=1, contact__in=[person.pk for person in contacts]).order_by(
        "occurrence"
    )
    results: dict[str, Result] = {
        contact: (status, reason, id)
        for contact, status, reason, id in rows.values_list("contact_id", "status", "reason", "pk")
    }
    fresh = [person for person in contacts if person.pk not in results]
    stops, delay = stops_of_contacts(run, fresh), delay_after(run.outreach_cadence, 1)
    jobs = []
    for place, contact in enumerate(fresh):
        variant = variant_of(run.content, run.processed + place)
        job = run.first_message(
            contact,
            workflow_run=workflow_runs.get(contact.pk, ""),
            next_delay=delay,
            variant=variant,
            reason=Reason.NOT_WRITTEN if variant is not None else Reason.AWAITING_WINNER,
            due_at=timezone.now(),
        )
        if contact.pk in stops:
            job.status = stops[contact.pk].state
            job.reason = stops[contact.pk].reason
        jobs.append(job)
    if jobs:
        insert_messages(run, jobs)
    return results | {job.contact_id: (str(job.status), str(job.reason), job.pk) for job in jobs}
