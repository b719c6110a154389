"""Use cases of webhooks: made, changed, deleted, given new secrets, tested; deliveries made again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import orjson
from django.db import transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from core.access import Actor, may_read
from core.access.attempts import Limit
from core.access.quota import lock_company
from core.errors import NamedError, shorten
from core.events import feed
from core.events.kinds import kinds_matching, module_of
from core.ids import min_id_at, new_id
from core.internals.django import raw_delete
from core.jobs import notify_workers
from core.lists import BulkSelection, tree
from core.outbound import OutboundRefused, checked_url
from core.tenancy import company_id
from core.text.json import dumps, format_iso
from core.types import Values
from crm.records.types import RecordType
from crm.segments.tracking import refresh_watches
from crm.webhooks.collector import UPDATED, WORK, add_deliveries, hears, type_of
from crm.webhooks.models import Webhook, WebhookDelivery
from crm.webhooks.sending import Request, Result, request_of, send
from crm.webhooks.signing import new_secret

MAX_WEBHOOKS = 50
"""Webhooks of a company."""
MAX_HEADERS = 20
MAX_KINDS = 100
BOTH_SECRETS = timedelta(hours=24)
"""Time for which the former secret is also used to sign."""
REPLAYED = 10_000
"""Events that one replay delivers."""
DELIVERY_LIFE = timedelta(days=30)
MAX_BATCH_ROWS = 5_000
TESTS = Limit("webhook-tests", 30, 60)
"""Tests by one company."""
RESERVED = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "user-agent", "accept-encoding"}
)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_TEST = "webhook.test"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The number of events that are delivered again, and the next position if there are more."""

    count: int
    next: feed.Position | None


def get_webhook(id: str) -> Webhook:
    """Return the active company's webhook with this id. Raises WebhookNotFound_404."""
    webhook = Webhook.objects.filter(pk=id).first()
    if webhook is None:
        raise not_found()
    return webhook


def not_found() -> NamedError:
    return NamedError("WebhookNotFound_404", "there is no such webhook in this company", field="id")


def _wrong(text: str, *, field: str) -> NamedError:
    return NamedError("InvalidInput_400", text, field=field)


def create_webhook(*, actor: Actor, values: Values) -> tuple[Webhook, str]:
    """Create a webhook. Return it with its secret, which is never shown again.

    Raises InvalidInput_400, InvalidRequest_400 (the filter) and UnauthorizedAction_403 (kinds that the actor may not
    read).
    """
    secret, attributes = new_secret(), dict(values)
    headers = _checked_headers(attributes.pop("headers", {}))
    webhook = Webhook(created_by_id=actor.member_id, updated_by_id=actor.member_id, secret=secret, **attributes)
    webhook.url = _checked_url(webhook.url)
    _check_wishes(webhook, actor)
    _set_headers(webhook, headers)
    if webhook.status == Webhook.Status.DISABLED:
        webhook.disabled_reason = Webhook.DisabledReason.MEMBER
    with transaction.atomic():
        # Otherwise two requests at once would each count one webhook less than there is room for.
        lock_company("webhooks")
        if Webhook.objects.count() >= MAX_WEBHOOKS:
            raise _wrong(f"a company has at most {MAX_WEBHOOKS} webhooks", field="url")
        webhook.save()
        refresh_watches()
    return webhook, secret


def update_webhook(*, id: str, actor: Actor, values: Values) -> Webhook:
    """Change the given values of a webhook. Enabling it resets its failures.

    Another address requires the headers again, because they may contain keys. Raises the errors of create_webhook, and
    WebhookNotFound_404.
    """
    attributes = dict(values)
    headers = _checked_headers(attributes.pop("headers")) if "headers" in attributes else None
    if "url" in attributes:
        attributes["url"] = _checked_url(attributes["url"])
    with transaction.atomic():
        # Locked before the check of the address, so that a second edit cannot combine with it.
        webhook = Webhook.objects.select_for_update(of=("self",), no_key=True).filter(pk=id).first()
        if webhook is None:
            raise not_found()
        # A member who may not see the headers could otherwise send them to a server of their own.
        if headers is None and attributes.get("url", webhook.url) != webhook.url and webhook.header_names:
            raise _wrong("enter the headers again for another URL", field="headers")
        status = attributes.pop("status", webhook.status)
        for name, value in attributes.items():
            setattr(webhook, name, value)
        _check_wishes(webhook, actor)
        if headers is not None:
            _set_headers(webhook, headers)
        if status != webhook.status:
            _set_status(webhook, status)
        webhook.updated_by_id = actor.member_id
        webhook.save()
        refresh_watches()
        notify_workers(WORK)
    return webhook


def _set_status(webhook: Webhook, status: str) -> None:
    webhook.status = status
    webhook.disabled_reason = Webhook.DisabledReason.MEMBER if status == Webhook.Status.DISABLED else ""
    if status == Webhook.Status.ENABLED:
        webhook.failures = 0
        webhook.failing_since = None
        webhook.retry_at = None
        webhook.notice_count = 0


@transaction.atomic
def delete_webhooks(*, selection: BulkSelection) -> int:
    """Delete the selected webhooks with their deliveries. Raises WebhookNotFound_404 when ids name none."""
    rows = selection.apply(Webhook.objects.select_for_update(of=("self",))).order_by("pk")
    ids = list(rows.values_list("pk", flat=True))
    if not ids and not selection.everything:
        raise NamedError("WebhookNotFound_404", "none of them is a webhook of this company", field="ids")
    # One statement: Django's own deletion would first read all deliveries, which may be millions.
    raw_delete(WebhookDelivery.objects.filter(webhook__in=ids))
    Webhook.objects.filter(pk__in=ids).delete()
    refresh_watches()
    return len(ids)


@transaction.atomic
def rotate_secret(*, id: str, member_id: str) -> tuple[Webhook, str]:
    """Give a webhook a new secret. The former one also signs for a day. Returns the webhook with the new secret."""
    webhook = Webhook.objects.select_for_update(of=("self",), no_key=True).filter(pk=id).first()
    if webhook is None:
        raise not_found()
    secret = new_secret()
    webhook.former_secret = webhook.secret
    webhook.former_secret_until = timezone.now() + BOTH_SECRETS
    webhook.secret = secret
    webhook.updated_by_id = member_id
    webhook.save()
    return webhook, secret


def test_webhook(*, id: str) -> tuple[Result, Request | str]:
    """Send a test event of kind webhook.test to a webhook, in any status. Raises TooManyAttempts."""
    webhook = get_webhook(id)
    TESTS.count(company_id())
    data = {"id": webhook.pk, "object": None, "changes": None, "details": {}, "actor": None, "cause": None}
    # No event has the sequence 0, so that a receiver that orders by it never takes a test for one.
    body = {"type": _TEST, "timestamp": format_iso(timezone.now()), "data": data, "sequence": 0, "objectSequence": 0}
    request = request_of(webhook, f"{new_id()}-{webhook.pk}", dumps({**body, "cursor": ""}).decode())
    return send(request), request


@transaction.atomic
def redeliver(*, id: str) -> WebhookDelivery:
    """Send a delivery again at once. The result neither affects the webhook nor uses up attempts.

    Raises WebhookDeliveryNotFound_404, and InvalidRequest_400 for one in progress or whose webhook accepts none.
    """
    rows = WebhookDelivery.objects.select_for_update(of=("self",)).select_related("webhook")
    delivery: WebhookDelivery | None = rows.filter(pk=id).first()
    if delivery is None:
        raise NamedError("WebhookDeliveryNotFound_404", "there is no such delivery in this company", field="id")
    if delivery.webhook.status != Webhook.Status.ENABLED:
        raise NamedError("InvalidRequest_400", f"the webhook is {delivery.webhook.status}; enable it first", field="id")
    # Its worker would overwrite the new state with the outcome of the attempt that is on its way.
    if delivery.status == WebhookDelivery.Status.SENDING:
        raise NamedError("InvalidRequest_400", "the delivery is on its way", field="id")
    delivery.status = WebhookDelivery.Status.PENDING
    delivery.manual = True
    delivery.due_at = delivery.updated_at = timezone.now()
    delivery.save(update_fields=["status", "manual", "due_at", "updated_at"])
    notify_workers(WORK)
    return delivery


def replay(*, id: str, begin: str, end: str | None, kinds: Sequence[str] | None) -> Replayed:
    """Deliver the events of a stretch of the feed to a webhook (again): those that it wants and that are not pending.

    `begin` and `end` are cursors or times; `kinds` narrows the webhook's own. Raises WebhookNotFound_404,
    InvalidInput_400 and InvalidRequest_400.
    """
    webhook = get_webhook(id)
    if webhook.status == Webhook.Status.DISABLED:
        raise NamedError("InvalidRequest_400", "the webhook is disabled; enable it first", field="id")
    position: feed.Position | None = _place("from", begin)
    last = None if end is None else _place("to", end)
    event_kinds = _matching(kinds if kinds is not None else webhook.kinds)
    event_kinds = {kind for kind in event_kinds if hears(webhook.kinds, kind)}
    looked = count = 0
    while position is not None and looked < REPLAYED:
        page = feed.read(after=position, size=1000, kinds=event_kinds)
        events = [
            event for event in page.events if last is None or (event.tx, event.sequence) <= (last.tx, last.sequence)
        ]
        with transaction.atomic():
            if not Webhook.objects.select_for_update(of=("self",), no_key=True).filter(pk=id).exists():
                raise not_found()  # it was deleted meanwhile
            count += add_deliveries([webhook], events, renew=True)
        looked += len(page.events)
        position = page.next if page.has_more and len(events) == len(page.events) else None
    return Replayed(count, position)


def _place(name: str, text: str) -> feed.Position:
    """Read a cursor or a time."""
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        return feed.position_of(text, name=name)
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if not datetime(2000, 1, 1, tzinfo=UTC) < moment < datetime(2100, 1, 1, tzinfo=UTC):
        raise _wrong("enter a time of this century", field=name)
    return feed.position_at(moment.astimezone(UTC))


def forget_old() -> bool:
    """Delete deliveries that are older than KEPT, of all companies (a periodic task)."""
    old = WebhookDelivery.objects.filter(pk__lt=min_id_at(timezone.now() - DELIVERY_LIFE)).order_by("pk")
    delivery_ids = list(old.values_list("pk", flat=True)[:MAX_BATCH_ROWS])
    raw_delete(WebhookDelivery.objects.filter(pk__in=delivery_ids))
    Webhook.objects.filter(former_secret_until__lt=timezone.now()).update(former_secret="", former_secret_until=None)
    return len(delivery_ids) == MAX_BATCH_ROWS


def _checked_url(url: str) -> str:
    try:
        return checked_url(url.strip())
    except OutboundRefused as refused:
        raise _wrong(refused.detail, field="url") from None


def _matching(kinds: Sequence[str]) -> set[str]:
    try:
        return kinds_matching(kinds)
    except ValueError as error:
        raise _wrong(f"choose one of the events; {shorten(str(error), 60)!r} is unknown", field="kinds") from None


def _check_wishes(webhook: Webhook, actor: Actor) -> None:
    """Refuse unknown kinds, kinds that the actor may not read, and a filter that does not fit them."""
    webhook.kinds = list(dict.fromkeys(webhook.kinds))
    kinds = _matching(webhook.kinds)
    if not kinds or len(webhook.kinds) > MAX_KINDS:
        raise _wrong(f"choose 1 to {MAX_KINDS} events, such as contact.created", field="kinds")
    modules = sorted({module_of(kind) for kind in kinds})
    hidden = next((module for module in modules if not may_read(actor, module)), None)
    if hidden is not None:
        raise NamedError(
            "UnauthorizedAction_403", f"choose other events; your role or plan lacks {hidden}.GET", field="kinds"
        )
    _check_fields(webhook.fields, [type_of(kind) for kind in sorted(kinds) if kind.endswith(UPDATED)])
    if not webhook.filter:
        webhook.filter = None
        return
    types = {resource_type.kind.panel if (resource_type := type_of(kind)) else "" for kind in kinds}
    record_type = type_of(next(iter(kinds)))
    if len(types) > 1 or record_type is None:
        raise _wrong("choose events of one kind: contacts, leads or products", field="filter")
    parsed = tree.parse(webhook.filter, "filter")
    tree.compile(parsed, record_type.fields, parameter="filter")
    webhook.filter = tree.tree_to_json(parsed)


def _check_fields(names: Sequence[str], types: Sequence[RecordType | None]) -> None:
    """Refuse fields that no record of the types has. Types without a record are not checked."""
    if not names or None in types:
        return
    field_names = set[str]().union(*(record_type.changing for record_type in types if record_type is not None))
    wrong = next((name for name in names if name not in field_names), None)
    if wrong is not None:
        raise _wrong(f"choose fields that these events report; {shorten(wrong, 60)!r} is unknown", field="fields")


def _checked_headers(headers: Values) -> dict[str, str]:
    """Return the headers that are sent along. Raises InvalidInput_400."""
    if len(headers) > MAX_HEADERS:
        raise _wrong(f"enter at most {MAX_HEADERS} headers", field="headers")
    checked = {}
    for name, value in headers.items():
        where = f"headers.{shorten(name, 40)}"
        if not _HEADER.fullmatch(name) or name.lower() in RESERVED or name.lower().startswith("webhook-"):
            raise _wrong("enter a header such as Authorization", field=where)
        if not isinstance(value, str) or len(value) > 2000 or not (value.isascii() and value.isprintable()):
            raise _wrong("enter one line of at most 2000 plain characters", field=where)
        checked[name] = value
    return checked


def _set_headers(webhook: Webhook, headers: Mapping[str, str]) -> None:
    webhook.headers = orjson.dumps(headers).decode() if headers else ""
    webhook.header_names = sorted(headers)
