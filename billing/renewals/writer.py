"""Writes of many rows in one statement, as JSON: psycopg writes an array per column thirty times slower, and COPY does
not go with row-level security."""

from __future__ import annotations

from collections.abc import Sequence

import orjson
from django.db import connection, models
from django.utils import timezone

from core.ids import new_id
from core.types import JsonObject


def insert_rows(model: type[models.Model], rows: Sequence[JsonObject]) -> None:
    """Insert rows, each a dict of the same columns. Others get their fields' defaults, a missing id a new one."""
    if not rows:
        return
    for row in rows:
        row.setdefault("id", new_id())
    names = list(rows[0])
    fields: JsonObject = {str(field.column): field for field in model._meta.concrete_fields}
    now = timezone.now()
    constants: JsonObject = {"created_at": now, "updated_at": now}
    for column, field in fields.items():
        # Django's defaults exist in Python alone. Columns with a database default
        # are left out, so that it applies.
        if column not in names and column not in constants and field.db_default is models.NOT_PROVIDED:
            constants[column] = field.get_db_prep_save(field.get_default(), connection)
    constants = {column: value for column, value in constants.items() if column in fields and column not in names}
    quote = connection.ops.quote_name
    columns = ", ".join(quote(column) for column in (*names, *constants))
    # json_to_recordset needs the types of its columns: JSON has none for dates, decimals or intervals.
    types = ", ".join(f"{quote(column)} {fields[column].db_type(connection)}" for column in names)
    values = [f"new.{quote(column)}" for column in names]
    values += [f"%s::{fields[column].db_type(connection)}" for column in constants]
    statement = (
        f"INSERT INTO {quote(model._meta.db_table)} ({columns})"  # noqa: S608  names of models, no values
        f" SELECT {', '.join(values)} FROM json_to_recordset(%s::json) AS new ({types})"
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [*constants.values(), lines_to_json(rows)])


def lines_to_json(rows: Sequence[JsonObject]) -> str:
    return orjson.dumps(rows, default=str).decode()
