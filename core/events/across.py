"""Events of many companies in one statement, for work that goes over all of them."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from django.db import connection
from django.utils import timezone

from core.events.consumers import EventConsumer
from core.events.kinds import number_from
from core.events.services import DELIVERIES, LATER, NUMBERED, consumer_condition
from core.ids import new_id
from core.jobs.notify import notify_workers
from core.jobs.registry import work_by_name
from core.types import JsonObject, Values

OWNER = "of_company"
"""The column that replaces the company id of `emit`."""
ROWS = (
    "WITH rows AS (SELECT * FROM json_to_recordset(%(rows)s::json)"
    " AS found (n int, e text, o text, of_company text, p jsonb, d json))"
)


def emit_across(kind: str, objects: Sequence[tuple[str, str, Values]]) -> None:
    """Write an event for each object (company, id, payload) and its deliveries, in the caller's transaction.

    The scope is that of all companies. `kind` is one that follows others (it is not of core.events.kinds.FIRST), and no
    object is named twice.
    """
    consumers = [consumer for consumer in work_by_name(EventConsumer).values() if kind in consumer.kinds]
    rows = [
        {"n": n, "e": new_id(), "o": id, OWNER: company, "p": payload, "d": [new_id() for _ in consumers]}
        for n, (company, id, payload) in enumerate(objects)
    ]
    values: JsonObject = {"kind": kind, "actor": None, "automation": True, "now": timezone.now(), "cause": None}
    values |= {"rows": orjson.dumps(rows, default=str).decode(), "from": number_from(kind)}
    statement = f"{ROWS}, {NUMBERED}"
    if consumers:
        values["consumers"] = [consumer.name for consumer in consumers]
        where = consumer_condition(consumers, "consumer", company="%(company)s", kind="%(kind)s")
        statement = f"{statement}, events AS ({LATER}) {DELIVERIES} WHERE {where}"
    else:
        statement = f"{statement} {LATER}"
    with connection.cursor() as cursor:
        # Each row has its own company, so the parameter becomes a column.
        cursor.execute(statement.replace("%(company)s", OWNER), values)
    if consumers and objects:
        notify_workers(EventConsumer.part_of)
