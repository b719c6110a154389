"""The results of delivery attempts for a delivery and its webhook."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import notify
from core.jobs.leases import update_owned
from core.outbound_http import HttpAnswer
from crm.webhooks.models import Webhook, WebhookDelivery

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DELAYS = (
    *(5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR),
    *(24 * HOUR, 24 * HOUR),
)
"""The waits after the first, second … attempt that failed; after one more a delivery is given up."""
JITTER = 0.2
FAILING = 5
"""Failures in a row after which one delivery at a time goes out."""
NOTICE_DELAYS = (timedelta(), 24 * HOUR, 72 * HOUR)
"""Owner notifications: after 0, 24 and 72 hours of failure, once there are FAILING failures."""
GIVEN_UP = 72 * HOUR
MAX_WAIT = 24 * HOUR
SHOWN = 1000
"""Characters of an answer that are kept."""
GONE, BUSY = 410, (429, 503)


@transaction.atomic
def record(delivery: WebhookDelivery, answer: HttpAnswer | None, error: str, milliseconds: int) -> None:
    """Record the result of an attempt, under the delivery's lease. Raises LeaseLost."""
    now, was_manual = timezone.now(), delivery.manual
    webhook = Webhook.objects.select_for_update(of=("self",), no_key=True).filter(pk=delivery.webhook_id).first()
    # PostgreSQL's text cannot hold a NUL, and a character may take four bytes.
    text = "" if answer is None else answer.body[: SHOWN * 4].decode(errors="replace").replace("\0", "")[:SHOWN]
    tried = {
        "lease": None,
        "worker": None,
        "deaths": 0,
        "manual": False,
        "tried_at": now,
        "milliseconds": milliseconds,
        "response_status": None if answer is None else answer.status,
        "response_body": text,
    }
    if answer is not None and 200 <= answer.status < 300:
        update_owned(delivery, status=WebhookDelivery.Status.DELIVERED, error="", **tried)
        if webhook is not None and not was_manual:
            _record_success(webhook, now)
        return
    problem = error or f"The answer was {answer.status if answer else 0}; any of 200 to 299 is wanted."
    due = next_attempt(delivery, answer, now)
    # 410 says that the receiver is gone for good (RFC 9110, 15.5.11), so nothing is tried again.
    given_up = was_manual or due is None or (answer is not None and answer.status == GONE)
    status = WebhookDelivery.Status.FAILED if given_up else WebhookDelivery.Status.PENDING
    update_owned(delivery, status=status, error=problem, due_at=due or now, **tried)
    if webhook is not None and not was_manual:
        _record_failure(webhook, answer, problem, due or now + MAX_WAIT, now)


def next_attempt(delivery: WebhookDelivery, answer: HttpAnswer | None, now: datetime) -> datetime | None:
    """Return when a delivery is tried again; None if it was the last time."""
    if delivery.attempts > len(DELAYS):
        return None
    # Jitter, so that deliveries that failed together do not all come back at one moment.
    delay = DELAYS[max(delivery.attempts, 1) - 1] * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311  no secret
    return now + max(delay, _asked_to_wait(answer, now))


def _asked_to_wait(answer: HttpAnswer | None, now: datetime) -> timedelta:
    """Return how long the receiver asks to wait by Retry-After, seconds or a date."""
    text = "" if answer is None else answer.headers.get("Retry-After", "").strip()
    # Retry-After is seconds or a date (RFC 9110, 10.2.3). str.isdigit()
    # alone takes digits that int() refuses.
    if text.isascii() and text.isdigit():
        return min(timedelta(seconds=int(text[:9])), MAX_WAIT)
    try:
        until = parsedate_to_datetime(text)
        return min(max(until - now, timedelta()), MAX_WAIT)
    except (TypeError, ValueError, OverflowError):
        return timedelta()


def _record_success(webhook: Webhook, now: datetime) -> None:
    Webhook.objects.filter(pk=webhook.pk).update(
        failures=0, failing_since=None, retry_at=None, notice_count=0, last_success_at=now
    )


def _record_failure(webhook: Webhook, answer: HttpAnswer | None, problem: str, due: datetime, now: datetime) -> None:
    """Count a failure. Notify the owners at intervals, and disable a webhook that is gone or has failed for
    GIVEN_UP."""
    if webhook.status == Webhook.Status.DISABLED:
        return  # by another delivery that was under way
    webhook.failures += 1
    webhook.failing_since = webhook.failing_since or now
    failing = now - webhook.failing_since
    # A receiver that asks to wait is busy as a whole, so all of its deliveries wait and not just this one.
    if webhook.failures >= FAILING or (answer is not None and answer.status in BUSY and _asked_to_wait(answer, now)):
        webhook.retry_at = due
    if answer is not None and answer.status == GONE:
        _disable(webhook, Webhook.DisabledReason.GONE)
    elif failing >= GIVEN_UP and webhook.failures >= FAILING:
        _disable(webhook, Webhook.DisabledReason.FAILING)
    disabled = webhook.status == Webhook.Status.DISABLED
    notices = sum(webhook.failures >= FAILING and failing >= after for after in NOTICE_DELAYS)
    if disabled or notices > webhook.notice_count:
        webhook.notice_count = max(notices, webhook.notice_count)
        context = {"webhook": webhook, "problem": problem, "disabled": disabled}
        notify("webhook.failing", context, about=("webhook", webhook.pk))
    Webhook.objects.filter(pk=webhook.pk).update(
        failures=webhook.failures,
        failing_since=webhook.failing_since,
        retry_at=webhook.retry_at,
        notice_count=webhook.notice_count,
        status=webhook.status,
        disabled_reason=webhook.disabled_reason,
        updated_at=now,
    )


def _disable(webhook: Webhook, reason: Webhook.DisabledReason) -> None:
    webhook.status = Webhook.Status.DISABLED
    webhook.disabled_reason = reason
