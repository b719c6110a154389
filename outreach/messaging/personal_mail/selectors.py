"""Reads of members' mails that are more than a filter."""

from __future__ import annotations

from django.db.models import Case, CharField, F, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable

from outreach.messaging.delivery.models import SendJob
from outreach.messaging.personal_mail.models import PersonalMail

Job = SendJob.Status
WAITING = (Job.PLANNED, Job.DRAFT, Job.APPROVED)
"""Statuses of messages that no worker has: their mails can be taken back."""
ENDED = (Job.FAILED, Job.CANCELLED, Job.SUPPRESSED)
"""Statuses of messages that have not gone and never will: their mails can be written again."""
TAKEN_BACK = "taken_back"
STATUSES = (
    "draft",
    "held",
    "scheduled",
    *(str(status) for status in (Job.SENDING, Job.SENT, Job.FAILED, Job.UNKNOWN, Job.CANCELLED, Job.SUPPRESSED)),
)
"""Statuses of members' mails."""


def status() -> Combinable:
    """Return the status of a mail: draft, held, scheduled, or that of its message."""
    return Case(
        When(send_job=None, then=Value("draft")),
        When(send_job__status__in=(Job.PLANNED, Job.DRAFT), then=Value("held")),
        When(send_job__status__in=(Job.APPROVED, Job.CLAIMED), then=Value("scheduled")),
        default=F("send_job__status"),
        output_field=CharField(),
    )


def own_and_sent(member_id: str) -> QuerySet[PersonalMail]:
    """Return the mails that a member sees: their own, and those of others that are no drafts."""
    return PersonalMail.objects.filter(Q(created_by_id=member_id) | Q(send_job__isnull=False))
