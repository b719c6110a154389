"""Pauses of senders: while one lasts, no message of the sender is claimed."""

from __future__ import annotations

from datetime import timedelta
from random import SystemRandom

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import members_who_may, notify
from outreach.connections.connected_apps.registry import MODULE
from outreach.connections.senders.models import Sender
from outreach.messaging.delivery.deciding.decision import backoff
from outreach.messaging.delivery.mails import SENDER_FAILING

NOTIFY_AFTER = 2
"""Failures in a row after which the owners are notified: a server that is away for a minute concerns nobody."""
TROUBLE = ("sender_trouble", "vendor_limit")
"""Reasons of pauses that a server has caused."""
_random = SystemRandom()


@transaction.atomic
def pause_after_failure(*, sender: Sender, detail: str, refused: bool = False) -> None:
    """Pause the sender, longer with each consecutive failure, and record the reason.

    The owners and the members who may change apps are notified once per series. A sender whose account was `refused`
    becomes unverified, so that it sends nothing, and they are notified at once.
    """
    # Several connections of a sender fail at the same moment; each failure has to be counted.
    row = type(sender)._default_manager.select_for_update(of=("self",)).get(pk=sender.pk)
    now = timezone.now()
    row.failures += 1
    # Growing pauses, or a locked account would be tried each second and stay locked.
    row.paused_until = now + backoff(row.failures, _random)
    row.paused_reason = "sender_trouble"
    row.last_error = detail
    row.last_error_at = now
    # Exactly at the number and not beyond it, so that a series is reported once.
    should_notify = row.verified if refused else row.failures == NOTIFY_AFTER
    # A refused account does not heal by waiting, and further attempts can lock it.
    row.verified = row.verified and not refused
    fields = ["failures", "paused_until", "paused_reason", "last_error", "last_error_at", "verified"]
    row.save(update_fields=fields)
    if should_notify:
        notify(SENDER_FAILING.key, {"smtp": row}, members=members_who_may(MODULE, "PUT"), about=(row.app_key, row.pk))


def pause(sender: Sender, reason: str, seconds: float, detail: str = "") -> None:
    """Pause the sender for some seconds; its messages stay as they are."""
    now = timezone.now()
    error_fields = {"last_error": detail, "last_error_at": now} if detail else {}
    type(sender)._default_manager.filter(pk=sender.pk).update(
        paused_until=now + timedelta(seconds=seconds), paused_reason=reason, **error_fields
    )


def reset_failures(sender: Sender) -> None:
    """Forget the sender's failures, since a message has gone out."""
    # The condition saves a write for each turn of a healthy sender.
    rows = type(sender)._default_manager.filter(pk=sender.pk, failures__gt=0)
    rows.update(failures=0, last_error="", last_error_at=None)
