"""Messages a month that plans include."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone

from core.access import Entitlement
from core.access.meters import Meter, Outcome, reserve
from core.jobs import notify_workers
from outreach.messaging.delivery.deciding.decision import Wait
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.senders import MAIL_SENDERS

Status = SendJob.Status
_GONE = (Status.SENT, Status.UNKNOWN, Status.FAILED)


def outcome_of(ids: Sequence[str]) -> Outcome:
    """Return which of the messages have gone, or may have, and which are under way."""
    rows = list(SendJob.objects.filter(pk__in=ids).values_list("pk", "status", "sending_at"))
    return Outcome(
        used=[pk for pk, status, at in rows if status in _GONE and at is not None],
        under_way=[pk for pk, status, _ in rows if status in (Status.CLAIMED, Status.SENDING)],
    )


MESSAGES = Meter("messages", outcome_of)


def within_plan(ready: list[SendJob], waiting: dict[Wait, list[str]], allowed: Entitlement | None) -> list[SendJob]:
    """Return the messages that the plan allows, and reserve them. The others wait until more are allowed."""
    reservation = reserve(MESSAGES.key, [job.pk for job in ready], allowed=allowed) if allowed is not None else None
    if reservation is None:
        return ready
    if over := [job.pk for job in ready if job.pk not in reservation.sources]:
        waiting.setdefault(Wait(Reason.LIMIT_PLAN, reservation.until), []).extend(over)
    return [job for job in ready if job.pk in reservation.sources]


def wake_messages() -> None:
    """Make the active company's messages that wait for their plan due now, because it may allow more."""
    now = timezone.now()
    of_senders = Q()
    for kind in MAIL_SENDERS:  # by the indexes of what waits for a sender
        of_senders |= Q(**{f"{kind.job_column}__in": kind._default_manager.values("pk")})
    waiting = SendJob.objects.filter(of_senders, status=Status.APPROVED, due_at__gt=now, reason=Reason.LIMIT_PLAN)
    if waiting.update(due_at=now, updated_at=now):
        notify_workers("send")
