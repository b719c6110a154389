"""The places of leads in pipelines: their expected close, their reasons, and moves of all leads of a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django.db import connection
from django.utils import timezone

from core.errors import InvalidFormat, NamedError
from core.events import emit
from core.lists import in_batches
from core.text.json import dumps, format_iso
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from crm.leads.models import Lead
from crm.leads.schema import LeadSchema
from crm.pipelines.models import Stage
from crm.pipelines.stages import PLACE, Stages
from crm.records.datetimes import check_year, company_timezone, local_to_utc, read_datetime
from crm.records.writes.updates import event_value

CLOSE = "expectedCloseAt"
# Locks the leads in the order of their ids, as all bulk changes of leads do.
MOVE = """
UPDATE crm_lead l SET pipeline_id = new.pipeline, stage_id = new.stage, status = new.status,
    lost_reason_id = CASE WHEN new.keeps THEN l.lost_reason_id END,
    status_changed_at = CASE WHEN l.status IS DISTINCT FROM new.status THEN %(now)s ELSE l.status_changed_at END,
    updated_at = %(now)s, updated_by_id = %(actor)s
FROM json_to_recordset(%(rows)s::json) AS new (id text, pipeline text, stage text, status text, keeps boolean)
WHERE l.id = new.id
"""
NAMES = {"pipeline_id": "pipeline", "stage_id": "stage", "status": "status", "lost_reason_id": "lostReason"}


def read_close(text: Any) -> str:
    """Return the time of an expected close in ISO 8601. A day is its first moment in the company's time zone.

    Raises InvalidFormat.
    """
    if not isinstance(text, str):
        raise InvalidFormat(CLOSE, text, "needs a day or a time as text", field=CLOSE)
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        return format_iso(read_datetime(CLOSE, text))
    check_year(CLOSE, text, day.year)
    return format_iso(start_of(day))


def start_of(day: date) -> datetime:
    """Return the first moment of a day in the company's time zone."""
    zone = zone_of(company_timezone())
    # Midnight is skipped where clocks are put forward then.
    starts = (local_to_utc(datetime.combine(day, time()) + timedelta(hours=hour), zone) for hour in range(3))
    return next(start for start in starts if start is not None)


def refuse_placeless(was: Values, pipeline: object, stage: object) -> None:
    """Refuse to take a lead out of its pipeline or stage by null (InvalidPayload_400)."""
    given = {"pipeline": pipeline, "stage": stage}
    emptied = [name for name, value in given.items() if value is None and was[f"{name}_id"]]
    if emptied:
        raise NamedError("InvalidPayload_400", "a lead is always in one; name another", field=emptied)


def refuse_reasonless(schema: LeadSchema, was: Values, now: Values) -> None:
    """Refuse that a lead becomes lost without a reason, or loses its reason, where the company wants one.

    Raises LostReasonRequired_400. A lead that was lost without a reason stays as it is.
    """
    if not schema.needs_reason:
        return
    settled = {**now, **schema.settle(was, now)}
    if settled.get("lost_reason_id") or schema.stages.kind_of(settled.get("status")) != Stage.Kind.LOST:
        return
    if was.get("lost_reason_id") or schema.stages.becomes_lost(was, settled):
        raise NamedError("LostReasonRequired_400", "choose a reason for loss", field="lostReason")


def settled_changes(schema: LeadSchema, ids: Sequence[str], columns: Values) -> list[tuple[list[str], JsonObject]]:
    """Group leads by the columns that a change of their places gives them: (ids, columns)."""
    if not columns.keys() & set(PLACE):
        return [(list(ids), dict(columns))]
    groups: dict[tuple[tuple[str, Any], ...], list[str]] = {}
    given = {column: value for column, value in columns.items() if column in PLACE}
    rows = Lead.objects.filter(pk__in=ids).order_by("pk").values("pk", *PLACE)
    for row in rows:
        was = {column: row[column] for column in PLACE}
        now = {**was, **given}
        refuse_reasonless(schema, was, now)
        settled = {**given, **schema.settle(was, now)}
        groups.setdefault(tuple(sorted(settled.items())), []).append(row["pk"])
    return [(group, {**columns, **dict(settled)}) for settled, group in groups.items()]


def move_leads(targets: Mapping[str, str], actor_id: str, automation: bool) -> None:
    """Move the leads of stages to others, including deleted ones, by batches in the caller's transaction.

    Emits lead.updated for each that is not deleted.
    """
    stages = LeadSchema.load().stages
    for ids in in_batches(Lead.objects.filter(stage__in=list(targets)), lock=True, no_key=True):
        _move(ids, targets, stages, actor_id, automation)


def _move(ids: Sequence[str], targets: Mapping[str, str], stages: Stages, actor_id: str, automation: bool) -> None:
    rows: list[JsonObject] = []
    payloads: dict[str, JsonObject] = {}
    for lead in Lead.objects.filter(pk__in=ids).values("pk", "is_deleted", *PLACE):
        was = {column: lead[column] for column in PLACE}
        now = {**was, "stage_id": targets[was["stage_id"]]}
        now |= stages.settle(was, now)
        keeps = now["lost_reason_id"] is not None
        place = {"pipeline": now["pipeline_id"], "stage": now["stage_id"], "status": now["status"]}
        rows.append({"id": lead["pk"], "keeps": keeps, **place})
        changes = {
            name: {"from": event_value(was[column]), "to": event_value(now[column])}
            for column, name in NAMES.items()
            if was[column] != now[column]
        }
        if not lead["is_deleted"]:
            payloads[lead["pk"]] = {"changes": changes}
    with connection.cursor() as cursor:
        cursor.execute(MOVE, {"rows": dumps(rows).decode(), "now": timezone.now(), "actor": actor_id})
    emit("lead.updated", sorted(payloads), payloads=payloads, actor_id=actor_id, automation=automation)


def clear_reasons(ids: Sequence[str]) -> None:
    """Take deleted reasons out of the leads that have them."""
    Lead.objects.filter(lost_reason__in=ids).update(lost_reason=None)
