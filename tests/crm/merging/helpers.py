"""What tests of merges need again and again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson
from django.db import connection

from core.tenancy.row_security import company_models
from tests.kit.cast import Answer, Cast

LEDGERS = {
    "crm_merge",
    "crm_journal",
    "core_event",
    "core_eventdelivery",
    "core_idempotencykey",
    "core_objectsequence",
    "accounts_apikey",
    "crm_stagechange",
}
"""Tables that tell of merges, of moves, or of requests, and are not what they were after one is undone."""


def everything(cast: Cast) -> dict[str, list[str]]:
    """Return table -> all its rows of the cast's company, each as the database writes it."""
    found = {}
    with cast.scope(), connection.cursor() as cursor:
        for table in sorted({model._meta.db_table for model in company_models()} - LEDGERS):
            cursor.execute(
                f'SELECT to_jsonb(t)::text FROM "{table}" t WHERE company_id = %s ORDER BY 1', [cast.company.pk]
            )
            found[table] = [row for (row,) in cursor.fetchall()]
    return found


def differences(before: dict[str, list[str]], after: dict[str, list[str]]) -> list[Any]:
    """Return the rows that only one of them has, for a readable message."""
    found = []
    for table in before:
        was, now = Counter(before[table]), Counter(after[table])
        found += [("before", table, orjson.loads(row)) for row in sorted(was - now)]
        found += [("after", table, orjson.loads(row)) for row in sorted(now - was)]
    return found


def merge(cast: Cast, panel: str, winner: str, *losers: str, **body: Any) -> dict[str, Any]:
    """Merge the records through the API. Returns the merge."""
    answer = cast.key.post(f"/{panel}/merge", {"ids": [winner, *losers], "winner": winner, **body})
    assert answer.status == 200, answer.body
    return dict(answer.data)


def undo(cast: Cast, panel: str, id: str) -> Answer:
    return cast.key.post(f"/{panel}/merge/{id}/undo")
