"""The messages of runs about one lead, and people's decisions about all of them.

A message belongs to the lead in its run's audience (a run that generates leads has those that it created). A
message whose run targets no lead belongs to every lead of its contact.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, Max, Min, Q, QuerySet

from core.errors import NamedError
from core.types import JsonObject
from crm.leads.selectors import live_leads
from crm.models import Lead
from outreach.messaging.delivery import services as delivery
from outreach.messaging.delivery.approving import approvals
from outreach.messaging.delivery.models import SendJob

Status = SendJob.Status


def lead_messages(lead_id: str) -> QuerySet[SendJob]:
    """Return the messages of runs about the lead. Raises LeadNotFound_404."""
    lead = live_leads().filter(pk=lead_id).only("contact_id").first()
    if lead is None:
        raise NamedError("LeadNotFound_404", "there is no such lead in this company", field="leadId")
    others = Lead.objects.filter(contact_id=lead.contact_id).exclude(pk=lead_id).values_list("pk", flat=True)
    names_another = Q()
    for other in others:
        names_another |= Q(run__audience__contains={"leadIds": [other]})
    messages = SendJob.objects.filter(contact_id=lead.contact_id, run__isnull=False)
    if not names_another:
        return messages
    return messages.filter(Q(run__audience__contains={"leadIds": [lead_id]}) | ~names_another)


def _open(lead_id: str) -> QuerySet[SendJob]:
    """Return the messages of runs that were not cancelled."""
    return lead_messages(lead_id).filter(run__cancelled_at=None, run__is_deleted=False)


def pending(lead_id: str) -> QuerySet[SendJob]:
    """Return the lead's drafts."""
    return _open(lead_id).filter(status=Status.DRAFT)


def pending_counts(lead_id: str) -> dict[str, int]:
    """Count the lead's drafts, and those that a person approves individually."""
    drafts = pending(lead_id)
    return {"pendingCount": drafts.count(), "unprovedCount": delivery.unproved_messages(drafts).count()}


def left_drafts(lead_id: str) -> delivery.SkippedApprovals:
    """Count the lead's drafts that are not approved together with the others."""
    return delivery.count_skipped(pending(lead_id))


def send_counts(lead_id: str) -> JsonObject:
    """Return the lead's messages counted by status, and the times of the last one sent and of the next one due."""
    messages = lead_messages(lead_id)
    rows = messages.order_by().values_list("status").annotate(number=Count("pk"))
    counts = {**dict.fromkeys(Status.values, 0), **dict(rows)}
    times = messages.aggregate(
        last=Max("sent_at"), due=Min("due_at", filter=Q(status=Status.APPROVED)), following=Min("next_step_at")
    )
    return {
        "counts": counts,
        "total": sum(counts.values()),
        "lastSentAt": times["last"],
        "nextDueAt": min((at for at in (times["due"], times["following"]) if at is not None), default=None),
    }


@transaction.atomic
def approve_all(*, lead_id: str, member_id: str | None) -> int:
    """Approve the lead's drafts that state nothing unproved, are not outdated and may go. Returns how many.

    Raises LeadNotFound_404.
    """
    return delivery.approve_together(_ids(pending(lead_id)), member_id)


@transaction.atomic
def hold_all(*, lead_id: str, member_id: str | None) -> int:
    """Turn the lead's approved messages that no worker holds into drafts again. Returns how many.

    Raises LeadNotFound_404.
    """
    return approvals.turn_into_drafts(_ids(_open(lead_id).filter(status=Status.APPROVED)), member_id)


def _ids(rows: QuerySet[SendJob]) -> QuerySet[SendJob]:
    """Return the same messages without joined tables, so that they can be locked."""
    # FOR UPDATE does not go with the joins of these conditions.
    return SendJob.objects.filter(pk__in=list(rows.values_list("pk", flat=True)))
