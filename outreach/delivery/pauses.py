"""Pauses of senders: while one lasts, no message of the sender is claimed."""

from __future__ import annotations

from datetime import timedelta
from random import SystemRandom

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import notify
from outreach.delivery.decision import backoff
from outreach.delivery.mails import SENDER_FAILING
from outreach.senders.models import Smtp

NOTIFY_AFTER = 2
"""Failures in a row after which the owners are notified: a server that is away for a minute concerns nobody."""
_random = SystemRandom()


@transaction.atomic
def pause_after_failure(*, smtp_id: str, detail: str) -> None:
    """Pause the sender, longer with each failure in a row, and record why. Notifies the owners once per series."""
    smtp = Smtp.objects.select_for_update(of=("self",)).get(pk=smtp_id)
    now = timezone.now()
    smtp.failures += 1
    smtp.paused_until, smtp.paused_reason = now + backoff(smtp.failures, _random), "sender_trouble"
    smtp.last_error, smtp.last_error_at = detail, now
    smtp.save(update_fields=["failures", "paused_until", "paused_reason", "last_error", "last_error_at"])
    if smtp.failures == NOTIFY_AFTER:
        notify(SENDER_FAILING.key, {"smtp": smtp})


def pause(smtp: Smtp, reason: str, seconds: float) -> None:
    """Pause the sender for some seconds; its messages stay as they are."""
    Smtp.objects.filter(pk=smtp.pk).update(
        paused_until=timezone.now() + timedelta(seconds=seconds), paused_reason=reason
    )


def reset_failures(*, smtp_id: str) -> None:
    """Forget the sender's failures, since a message has gone out."""
    Smtp.objects.filter(pk=smtp_id, failures__gt=0).update(failures=0, last_error="", last_error_at=None)
