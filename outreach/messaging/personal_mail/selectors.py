"""Reads of members' mails that are more than a filter."""

from __future__ import annotations

from typing import Any

from django.db.models import Case, CharField, F, Q, QuerySet, Value, When

from accounts.models import Member
from core.access import Actor
from core.types import JsonObject
from crm.files.selectors import readable_files
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import working_senders
from outreach.messaging.email_templates.models import EmailTemplate
from outreach.messaging.personal_mail.models import PersonalMail

Job = SendJob.Status
WAITING = (Job.PLANNED, Job.DRAFT, Job.APPROVED)
"""Statuses of messages that no worker has: their mails can be taken back."""
ENDED = (Job.FAILED, Job.CANCELLED, Job.SUPPRESSED)
"""Statuses of messages that have not gone and never will: their mails can be written again."""
MAX_CHOICES, MAX_FILES = 200, 50
TAKEN_BACK = "taken_back"
STATUSES = (
    "draft",
    "held",
    "scheduled",
    *(str(status) for status in (Job.SENDING, Job.SENT, Job.FAILED, Job.UNKNOWN, Job.CANCELLED, Job.SUPPRESSED)),
)
"""Statuses of members' mails."""


def status() -> Case:
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


def choices_for(actor: Actor) -> JsonObject:
    """Return what the writer of a mail chooses from, and their signature; None for what they may not read."""
    templates = EmailTemplate.objects.order_by("name", "pk")
    files = readable_files(actor).filter(trashed_at=None).order_by("-created_at", "-pk")
    signature = Member.objects.filter(pk=actor.member_id).values_list("user__signature", flat=True).first()
    return {
        "senders": working_senders(MAX_CHOICES),
        "templates": _names(templates, MAX_CHOICES) if _may_read(actor, "template") else None,
        "files": _names(files, MAX_FILES) if _may_read(actor, "file") else None,
        "signature": signature or "",
    }


def _may_read(actor: Actor, module: str) -> bool:
    return actor.is_unbounded or actor.may(module, "GET")


def _names(rows: QuerySet[Any], most: int) -> list[JsonObject]:
    return [{"_id": pk, "name": name} for pk, name in rows.values_list("pk", "name")[:most]]
