"""The references to contacts or leads that a merge moves to the winner. They are found in the models, so that none is
forgotten.

A record's own parts (values, tags, products) are united by the merge and stay where they are. A row that the winner
already has, by a unique constraint of its table, stays with the loser, where undoing the merge finds it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.db.models import Case, F, UniqueConstraint, Value, When, Window
from django.db.models.functions import RowNumber

from core.fields import CompanyForeignKey
from core.tenancy.row_security import company_references
from crm.records.kinds import RecordKind

MAX_ROUNDS = 5
MovedRows = dict[str, dict[str, list[str]]]
"""Reference (app.Model.field) -> loser -> ids of the rows that moved to the winner."""

MOVE = """
UPDATE {table} t SET {column} = %s
FROM (
    SELECT id, {column} AS loser FROM {table} WHERE {column} = ANY(%s) AND id <> ALL(%s) ORDER BY id FOR NO KEY UPDATE
) AS old
WHERE t.id = old.id RETURNING t.id, old.loser
"""
MOVE_BACK = """
UPDATE {table} t SET {column} = old.loser
FROM (
    SELECT r.id, given.loser
    FROM json_to_recordset(%s::json) AS given (id text, loser text) JOIN {table} r ON r.id = given.id
    WHERE r.{column} = %s ORDER BY r.id FOR NO KEY UPDATE OF r
) AS old
WHERE t.id = old.id RETURNING t.id
"""


def references_to(kind: RecordKind) -> dict[str, CompanyForeignKey]:
    """Return every reference to records of the kind in any app: app.Model.field -> the field.

    The records' own parts and histories are left out.
    """
    parts = {kind.values, kind.tags, *kind.histories, *(table for _, table, _ in kind.links)}
    return {
        f"{model._meta.label}.{field.name}": field
        for model in apps.get_models()
        if model not in parts
        for field in company_references(model)
        if field.related_model is kind.model
    }


def move(kind: RecordKind, winner: str, losers: Sequence[str]) -> MovedRows:
    """Move all references from the losers to the winner, in the caller's transaction; rows that the winner already has
    stay."""
    rows_by_name = {name: _move(field, winner, losers) for name, field in references_to(kind).items()}
    return {name: rows for name, rows in rows_by_name.items() if rows}


def move_back(kind: RecordKind, winner: str, moved: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, list[str]]:
    """Move the references back to the losers. Returns the rows that refer to another record by now, by reference."""
    references = references_to(kind)
    elsewhere: dict[str, list[str]] = {}
    for name, by_loser in moved.items():
        field = references.get(name)
        if field is None:
            continue  # its model is gone
        table = field.model._meta.db_table
        rows = [{"id": id, "loser": loser} for loser, ids in by_loser.items() for id in ids]
        with connection.cursor() as cursor:
            cursor.execute(MOVE_BACK.format(table=table, column=field.column), [orjson.dumps(rows).decode(), winner])
            back = {id for (id,) in cursor.fetchall()}
        left = [row["id"] for row in rows if row["id"] not in back]
        changed = sorted(field.model._default_manager.filter(pk__in=left).values_list("pk", flat=True)) if left else []
        if changed:
            elsewhere[name] = changed
    return elsewhere


def _move(field: CompanyForeignKey, winner: str, losers: Sequence[str]) -> dict[str, list[str]]:
    statement = MOVE.format(table=field.model._meta.db_table, column=field.column)
    for attempt in range(MAX_ROUNDS):
        try:
            # A savepoint per round: a reference created in between may break a unique constraint.
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement, [winner, list(losers), _conflicting(field, winner, losers)])
                rows = sorted(cursor.fetchall())
        except IntegrityError:
            if attempt == MAX_ROUNDS - 1:
                raise
            continue  # another writer has added such a row to the winner since the check
        moved: dict[str, list[str]] = {}
        for id, loser in rows:
            moved.setdefault(loser, []).append(id)
        return moved
    raise AssertionError("unreachable")


def _conflicting(field: CompanyForeignKey, winner: str, losers: Sequence[str]) -> list[str]:
    """Return the losers' rows that the winner, or an earlier loser, has too by a unique constraint of the table."""
    model: Any = field.model
    row_ids: set[str] = set()
    everybody = [winner, *losers]
    turn = Case(*(When(**{field.attname: id, "then": Value(place)}) for place, id in enumerate(everybody)))
    for constraint in model._meta.constraints:
        if not isinstance(constraint, UniqueConstraint) or field.name not in constraint.fields:
            continue
        others = [name for name in constraint.fields if name != field.name]
        rows = model._default_manager.filter(**{f"{field.attname}__in": everybody})
        if constraint.condition is not None:
            rows = rows.filter(constraint.condition)
        # In PostgreSQL two NULLs are distinct unless the constraint says
        # otherwise, so such rows conflict with none.
        if constraint.nulls_distinct is not False:
            rows = rows.exclude(_any_null(others)) if others else rows
        # Ranked by the winner first and then by the losers' order: of equal rows
        # the first one moves, the others stay.
        place = Window(RowNumber(), partition_by=[F(name) for name in others] or None, order_by=[turn, F("pk")])
        row_ids |= set(rows.annotate(merge_place=place).filter(merge_place__gt=1).values_list("pk", flat=True))
    return sorted(row_ids)


def _any_null(names: Sequence[str]) -> models.Q:
    return models.Q(*(models.Q(**{f"{name}__isnull": True}) for name in names), _connector=models.Q.OR)
