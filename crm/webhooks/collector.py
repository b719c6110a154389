"""The consumer of events that makes deliveries for the webhooks that want them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import orjson
from django.db import connection
from django.utils import timezone

from core.events import feed
from core.events.models import Event
from core.ids import new_id
from core.jobs import notify_workers
from core.lists import tree
from core.tenancy import company_id
from core.text.json import dumps, format_iso
from core.types import JsonObject, Values
from crm.records.types import RECORD_TYPES, RecordType
from crm.segments.models import Segment
from crm.webhooks.models import Webhook

MAX_BYTES = 64 * 1024
"""Bytes of a body; a larger one becomes thin."""
UPDATED = ".updated"
WORK = "webhooks"

_INSERT = """
INSERT INTO crm_webhookdelivery AS known
    (id, company_id, webhook_id, event_id, kind, object_id, sequence, object_sequence, body, status, manual, due_at,
     attempts, error, deaths, response_body, created_at, updated_at)
SELECT id, %(company)s, webhook, event, kind, object, sequence, number, body, 'pending', false, %(now)s,
    0, '', 0, '', %(now)s, %(now)s
FROM json_to_recordset(%(rows)s::json) AS given
    (id text, webhook text, event text, kind text, object text, sequence bigint, number int, body text)
ON CONFLICT (webhook_id, event_id) DO UPDATE
    SET status = 'pending', due_at = %(now)s, attempts = 0, error = '', updated_at = %(now)s
    WHERE %(renew)s AND known.status IN ('delivered', 'failed')
"""


def collect(events: Sequence[Event]) -> None:
    """Make the deliveries of events (all of one company) to its webhooks, in the consumer's transaction."""
    add_deliveries(Webhook.objects.exclude(status=Webhook.Status.DISABLED).order_by("pk"), events)


def add_deliveries(webhooks: Iterable[Webhook], events: Sequence[Event], *, renew: bool = False) -> int:
    """Create the missing deliveries of the events; `renew` also sends those again that have ended.

    Returns the number of events that the webhooks want.
    """
    pairs = [(webhook, _matching_events(webhook, events)) for webhook in webhooks]
    full = [event for webhook, matches in pairs if webhook.payload == Webhook.Payload.FULL for event in matches]
    objects, epoch = _objects(full), feed.cursor_epoch()
    rows = [
        {
            "id": new_id(),
            "webhook": webhook.pk,
            "event": event.pk,
            "kind": event.kind,
            "object": event.object_id,
            "sequence": event.sequence,
            "number": event.object_sequence,
            "body": body_of(event, objects, epoch, thin=webhook.payload == Webhook.Payload.THIN).decode(),
        }
        for webhook, matches in pairs
        for event in matches
    ]
    if rows:
        values: JsonObject = {
            "company": company_id(),
            "now": timezone.now(),
            "rows": orjson.dumps(rows).decode(),
            "renew": renew,
        }
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, values)
        notify_workers(WORK)
    return len(rows)


def body_of(event: Event, objects: Values, epoch: int, *, thin: bool = False) -> bytes:
    """Return the body for an event: the record as it is now, unless it is thin or would be too large."""
    position = feed.Position(event.tx, event.sequence, event.created_at)
    payload = dict(event.payload)
    body: JsonObject = {
        "type": event.kind,
        "timestamp": format_iso(event.created_at),
        "data": {
            "id": event.object_id,
            "object": objects.get(event.object_id),
            "changes": payload.pop("changes", None),
            "details": payload,
            "actor": event.actor_id,
            "cause": event.cause,
        },
        "sequence": event.sequence,
        "objectSequence": event.object_sequence,
        "cursor": position.encode(epoch),
    }
    if not thin and len(content := dumps(body)) <= MAX_BYTES:
        return content
    # Thin rather than cut: receivers can fetch the record, but cannot repair half of a document.
    return dumps({**body, "data": {"id": event.object_id}})


def segments_of_webhooks() -> set[str]:
    """Return the segments that webhooks need: all, if one names their events, and not merely by `*`."""
    kinds = Webhook.objects.exclude(status=Webhook.Status.DISABLED).values_list("kinds", flat=True)
    if not any(kind.startswith("segment.") for own in kinds for kind in own):
        return set()
    return set(Segment.objects.values_list("pk", flat=True))


def type_of(kind: str) -> RecordType | None:
    """Return the type of the records that events of the kind happen to, if they are records with fields."""
    resource = kind.partition(".")[0]
    return next((record_type for record_type in RECORD_TYPES.values() if record_type.kind.resource == resource), None)


def hears(kinds: Iterable[str], kind: str) -> bool:
    """Return whether the patterns name the kind."""
    return not {"*", f"{kind.partition('.')[0]}.*", kind}.isdisjoint(kinds)


def _matching_events(webhook: Webhook, events: Sequence[Event]) -> list[Event]:
    """Return the events that a webhook wants."""
    fields = set(webhook.fields)
    selected = [event for event in events if hears(webhook.kinds, event.kind) and _changes(event, fields)]
    if not webhook.filter or not selected:
        return selected
    record_type = type_of(selected[0].kind)
    if record_type is None:
        return []
    where = tree.compile(tree.parse(webhook.filter, "filter"), record_type.fields, parameter="filter")
    # Deleted records too: their events are matched by their last values.
    rows = record_type.kind.model._default_manager.filter(pk__in={event.object_id for event in selected}).filter(where)
    matching = set(rows.order_by().values_list("pk", flat=True))
    return [event for event in selected if event.object_id in matching]


def _changes(event: Event, fields: set[str]) -> bool:
    if not fields or not event.kind.endswith(UPDATED):
        return True
    return not fields.isdisjoint(event.payload.get("changes") or ())


def _objects(events: Sequence[Event]) -> dict[str, JsonObject]:
    """Return the records of the events by id, as their lists show them: two queries for each type."""
    records: dict[str, JsonObject] = {}
    for record_type in RECORD_TYPES.values():
        ids = {event.object_id for event in events if type_of(event.kind) is record_type}
        if not ids:
            continue
        output = record_type.output
        rows = output.project(record_type.kind.model._default_manager.filter(pk__in=ids).order_by("pk"))
        records |= {row["_id"]: row for row in output.complete([output.render(row) for row in rows])}
    return records
