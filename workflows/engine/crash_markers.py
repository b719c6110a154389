"""Crash markers of slices, which survive a worker that dies in one.

A slice that ends deletes its marker, in its own transaction. One that dies, by a signal or with PostgreSQL, leaves it.
Runs with such markers then run alone, each under a marker of its own, so that the others of the slice are soon cleared.
A run whose workers die MAX_DEATHS times without progress fails.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import connection

from core.ids import new_id
from core.text.json import dumps

MAX_CRASHES = 10
POISON = "POISON"

LEAVE = "INSERT INTO workflows_slicemark (id, runs, created_at, updated_at) VALUES (%s, %s::jsonb, now(), now())"
# A mark that is locked belongs to a slice that is under way; so does one that has just been left.
LEFT = """
WITH left_behind AS (
    SELECT runs FROM workflows_slicemark WHERE created_at < clock_timestamp() - interval '2 seconds'
    ORDER BY id FOR UPDATE SKIP LOCKED
) SELECT run, count(*) FROM left_behind, jsonb_array_elements_text(runs) AS run GROUP BY run
"""
FORGET = "UPDATE workflows_slicemark SET runs = runs - %s::text[] WHERE runs ?| %s::text[]"
CLEAR = "DELETE FROM workflows_slicemark WHERE runs = '[]'"


def create_marker(runs: Collection[str]) -> str:
    """Leave a mark of the runs, in a transaction that ends before their slice begins. Returns its id."""
    id = new_id()
    with connection.cursor() as cursor:
        # It need not be on disk: if PostgreSQL dies, no run is to blame.
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute(LEAVE, [id, dumps(sorted(runs)).decode()])
    return id


def delete(id: str) -> None:
    """Take a mark away; it stays if the transaction ends without a commit, and is locked until then."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM workflows_slicemark WHERE id = %s", [id])


def crash_counts() -> dict[str, int]:
    """Return run -> how many workers have died with it since it has last moved."""
    with connection.cursor() as cursor:
        cursor.execute(LEFT)
        return dict(cursor.fetchall())


def forget(runs: Collection[str]) -> None:
    """Forget the deaths of runs."""
    with connection.cursor() as cursor:
        cursor.execute(FORGET, [list(runs), list(runs)])
        cursor.execute(CLEAR)
