"""The sending of deliveries: threads talk to receivers, the drain claims deliveries and records their results.

Webhooks alternate, and a company has a few of the threads at most, so a slow receiver only delays its own. No
transaction is open during calls to a receiver.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import monotonic, time

import orjson
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from core.crypto import SecretUnreadable
from core.events.models import EventDelivery
from core.ids import new_id
from core.jobs.flights import Flights
from core.jobs.leases import LeaseLost
from core.jobs.liveness import worker_number
from core.jobs.registry import Moment
from core.outbound_http import HttpAnswer, HttpFailed, send_request
from core.tenancy import company_scope, unscoped
from core.text.redaction import Redactor
from crm.webhooks.collector import WORK
from crm.webhooks.models import Webhook, WebhookDelivery
from crm.webhooks.outcomes import FAILING, record
from crm.webhooks.signing import sign_headers

log = logging.getLogger(__name__)

THREADS = 16
"""Receivers that a process asks at once."""
A_COMPANY = 4
"""Threads that one company may have at most."""
SECONDS = 10.0
"""The time to connect and to answer."""
MAX_ANSWER_BYTES = 64 * 1024
USER_AGENT = "Leadwright-Webhooks/1"
LOOKED_AT = 200
"""Number of webhooks with due deliveries that are handled together."""
_LOOK_AGAIN = 0.2

# An object's deliveries go one after the other, and none before the events that the consumer has not handled yet.
_FIRST_OF_ITS_OBJECT = f"""
NOT EXISTS (SELECT FROM crm_webhookdelivery p WHERE p.webhook_id = d.webhook_id AND p.object_id = d.object_id
    AND p.object_sequence < d.object_sequence AND p.status IN ('pending', 'sending'))
AND NOT EXISTS (SELECT FROM core_event e JOIN core_eventdelivery q ON q.event_id = e.id
    WHERE e.company_id = d.company_id AND e.object_id = d.object_id AND e.object_sequence < d.object_sequence
        AND q.consumer = '{WORK}' AND q.status = '{EventDelivery.Status.PENDING}')
"""
_CLAIM = f"""
WITH due AS (SELECT d.id FROM crm_webhookdelivery d
    WHERE d.webhook_id = %(webhook)s AND d.status = 'pending' AND d.due_at <= %(now)s
        AND (d.manual OR %(all)s) AND (d.manual OR NOT %(ordered)s OR ({_FIRST_OF_ITS_OBJECT}))
    ORDER BY d.manual DESC, d.due_at, d.sequence LIMIT %(limit)s FOR NO KEY UPDATE SKIP LOCKED)
UPDATE crm_webhookdelivery d
SET status = 'sending', lease = %(lease)s, worker = %(worker)s, updated_at = %(now)s,
    attempts = attempts + CASE WHEN manual THEN 0 ELSE 1 END
FROM due WHERE d.id = due.id RETURNING d.id
"""


@dataclass(frozen=True, slots=True)
class Request:
    """The request to a receiver."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    secrets: tuple[str, ...] = ()
    """Secrets to redact from the receiver's response."""


Sent = tuple[WebhookDelivery, Request | str]


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a request: a complete response, or the error; and its duration."""

    answer: HttpAnswer | None
    error: str
    milliseconds: int


def due_webhooks(now: Moment) -> list[QuerySet[Webhook]]:
    """Return the webhooks with deliveries that may go out."""
    return [_with_something_due(now)]


def _with_something_due(now: Moment) -> QuerySet[Webhook]:
    due = WebhookDelivery.objects.filter(webhook=OuterRef("pk"), status="pending", due_at__lte=now)
    in_time = Q(retry_at=None) | Q(retry_at__lte=now) | Exists(due.filter(manual=True))
    webhooks: QuerySet[Webhook] = Webhook.objects.filter(in_time, Exists(due), status=Webhook.Status.ENABLED)
    return webhooks


def drain(deadline: float) -> None:
    """Send due deliveries until none is left or monotonic() passes the deadline. Open calls then end on their own."""
    while monotonic() < deadline:
        if len(flights) < THREADS:
            _begin()
        if not flights.calls:
            return
        flights.land(_LOOK_AGAIN)
    flights.release()


def _begin() -> None:
    """Claim deliveries for the threads that are free, a few for each webhook and company, and send them."""
    busy = Counter(delivery.company_id for delivery, _ in flights.calls)
    with unscoped(reason="worker: due deliveries of all companies"):
        # At random, so that the webhooks that are looked at first are not always the same ones.
        rows = list(_with_something_due(timezone.now()).order_by("?").values_list("pk", "company_id")[:LOOKED_AT])
    for webhook_id, company_id in rows:
        capacity = min(THREADS - len(flights), A_COMPANY - busy[company_id])
        if capacity <= 0:
            continue
        with company_scope(company_id):
            webhook, deliveries = claim(webhook_id, capacity)
            for delivery in deliveries:
                busy[company_id] += 1
                flights.begin((delivery, request_of(webhook, delivery.message_id, delivery.body)))


def claim(webhook_id: str, limit: int) -> tuple[Webhook, list[WebhookDelivery]]:
    """Claim up to `limit` deliveries of a webhook. One that fails all the time gets a single one at a time."""
    with transaction.atomic():
        # The webhook's row is the lock of its claims: two workers would each find
        # the same first delivery of an object.
        webhook = Webhook.objects.select_for_update(of=("self",), skip_locked=True, no_key=True).filter(pk=webhook_id)
        locked = webhook.first()
        if locked is None or locked.status != Webhook.Status.ENABLED:
            return locked or Webhook(), []
        now, all_of_them = timezone.now(), locked.retry_at is None or locked.retry_at <= timezone.now()
        # A receiver that is down is asked by one delivery at a time, so that its
        # return is not met by all that have waited.
        if locked.failures >= FAILING:
            limit = 1
            tried = WebhookDelivery.objects.filter(webhook=locked, status="sending", manual=False)
            all_of_them = all_of_them and not tried.exists()
        values = {
            "webhook": locked.pk,
            "now": now,
            "all": all_of_them,
            "ordered": locked.ordering == Webhook.Ordering.OBJECT,
            "limit": limit,
            "lease": new_id(),
            "worker": worker_number(),
        }
        with connection.cursor() as cursor:
            cursor.execute(_CLAIM, values)
            ids = [id for (id,) in cursor.fetchall()]
        rows = WebhookDelivery.objects.filter(pk__in=ids).order_by("sequence")
        return locked, list(rows)


def request_of(webhook: Webhook, id: str, body: str) -> Request | str:
    """Return the signed request of a message, or why there can be none."""
    try:
        secrets = [webhook.secret]
        if webhook.former_secret_until is not None and webhook.former_secret_until > timezone.now():
            # Signed by both, as Standard Webhooks has it, so that a receiver can change
            # its secret without losing a message.
            secrets.append(webhook.former_secret)
        own = orjson.loads(webhook.headers) if webhook.headers else {}
    except SecretUnreadable:
        return "The secret of the webhook cannot be read any more; rotate it, and enter its headers again."
    content = body.encode()
    headers = {
        **own,
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        **sign_headers(secrets, id=id, seconds=int(time()), body=content),
    }
    # Of "Bearer abc" the key is a secret by itself.
    hidden = {*secrets, *own.values(), *(value.rpartition(" ")[2] for value in own.values())}
    return Request(webhook.url, headers, content, tuple(hidden))


def send(request: Request | str) -> Result:
    """Send a request. It has SECONDS, and follows no redirect."""
    if isinstance(request, str):
        return Result(None, request, 0)
    began = monotonic()
    answer, error = None, ""
    try:
        answer = send_request(
            "POST",
            request.url,
            seconds=SECONDS,
            headers=request.headers,
            body=request.body,
            most_bytes=MAX_ANSWER_BYTES,
        )
        # Some receivers echo the request, and answers are shown to members who may not know its secrets.
        answer = replace(answer, body=Redactor(request.secrets).body(answer.body))
    except HttpFailed as failed:
        error = failed.detail
    except Exception:  # noqa: BLE001  the edge of one delivery: it is tried again, the others go on
        log.exception("a webhook could not be called")
        error = "It could not be sent for an unexpected reason."
    return Result(answer, error, round((monotonic() - began) * 1000))


def _make(call: Sent) -> Result:
    return send(call[1])


def _end(call: Sent, result: Result) -> None:
    delivery = call[0]
    try:
        with company_scope(delivery.company_id):
            record(delivery, result.answer, result.error, result.milliseconds)
    except LeaseLost:
        log.warning("delivery %s was taken over by another worker", delivery.pk)


flights = Flights("webhook", _make, _end)
