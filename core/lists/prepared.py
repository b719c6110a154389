"""Statements that are built once and planned once: what a page reads of its records, whichever these are.

The ORM takes longer to build the joins and expressions of a large output, and PostgreSQL to plan them, than PostgreSQL
to answer. They depend on the output alone, but for the company and for the ids of the page's records, which are the
statement's parameters (docs/decisions/0017).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

import orjson
from django.db import connections
from django.db.models import Expression, F, Field, JSONField, QuerySet, Value
from psycopg.adapt import Loader
from psycopg.types.datetime import TimestamptzLoader

from core.lists.keyset import AnyOf
from core.tenancy import active_scope, company_scope
from core.text.json import iso

ROW_ID = "list_id"
COMPANY = "f" * 24
"""Stands for the active company while a statement is built."""
IDS = "\x00ids\x00"
"""Stands for the ids of the records."""
PARAMETERS = {COMPANY: "%(company)s", IDS: "%(ids)s"}
Row = dict[str, Any]


class Output(Protocol):
    """An output. With `fixed` its columns depend on nothing but the active company (core.api.output.Output.fixed)."""

    def project(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Select the columns of the output with `.values(...)`."""


class _TimeText(Loader):
    """Reads times as the API writes them: a list would otherwise make an object of each, and text of that again."""

    def load(self, data: Any) -> str:
        text = bytes(data).decode()
        if text.endswith("+00") and text[10] == " ":
            return f"{text[:10]}T{text[11:19]}.{text[20:-3][:3]:0<3}Z"
        return iso(TimestamptzLoader(self.oid, self.connection).load(data))


class _Json(Loader):
    """Reads jsonb as core.fields.JSONField does, without its converter."""

    def load(self, data: Any) -> Any:
        return orjson.loads(data)


class _Ids(Expression):
    """Where the ids go."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "%s", (IDS,)


@dataclass(frozen=True)
class Prepared:
    """A statement with the parameters `company` and `ids`. `converters` has names of columns and their functions."""

    sql: str
    names: tuple[str, ...]
    converters: tuple[tuple[str, tuple[Callable[..., Any], ...], Any], ...]

    def rows(self, using: str, company: str, ids: Sequence[str]) -> list[Row]:
        """Return the rows of the company's records with these ids, in any order, with times as texts."""
        connection: Any = connections[using]
        with connection.planned_cursor() as cursor:
            cursor.adapters.register_loader("timestamptz", _TimeText)
            cursor.adapters.register_loader("jsonb", _Json)
            # As an array's text: ObjectIds need no quotes, and psycopg would look at each.
            cursor.execute(self.sql, {"company": company, "ids": f"{{{','.join(ids)}}}"})
            found = [dict(zip(self.names, row, strict=True)) for row in cursor.fetchall()]
        for name, functions, expression in self.converters:
            for row in found:
                for function in functions:
                    row[name] = function(row[name], expression, connection)
        return found


def rows_of(queryset: QuerySet[Any], ids: Sequence[str], output: Output) -> list[Row]:
    """Return the rows of the queryset's records with these ids, in the order of the ids.

    A record that has gone since its id was read is left out.
    """
    if not ids:
        return []
    scope = active_scope()
    if scope is not None and scope.company_id is not None and getattr(output, "fixed", False):
        model: Any = queryset.model
        chosen: Any = output
        found = _prepare(model, queryset.db, chosen).rows(queryset.db, scope.company_id, ids)
    else:
        found = list(_projected(queryset, Value(list(ids), output_field=Field()), output))
    by_id = {row[ROW_ID]: row for row in found}
    return [by_id[id] for id in ids if id in by_id]


@lru_cache(maxsize=64)
def _prepare(model: Any, using: str, output: Any) -> Prepared:
    """Build the statement. It lacks the list's own conditions: the records with the ids met them."""
    with company_scope(COMPANY):
        query = _projected(model._default_manager.using(using), _Ids(output_field=Field()), output).query
        compiler = query.get_compiler(using)
        sql, params = compiler.as_sql()
    names = (*query.extra_select, *query.values_select, *query.annotation_select)
    found = compiler.get_converters([column for column, _, _ in compiler.select])
    return Prepared(
        _bound(sql, params, connections[using]),
        names,
        tuple(
            (names[column], tuple(functions), expression)
            for column, (functions, expression) in found.items()
            if not isinstance(expression.output_field, JSONField)
        ),
    )


def _projected(queryset: QuerySet[Any], ids: Expression, output: Output) -> QuerySet[Any]:
    return output.project(queryset.order_by().filter(AnyOf("pk", ids))).annotate(**{ROW_ID: F("pk")})


def _bound(sql: str, params: Sequence[Any], connection: Any) -> str:
    """Return the statement with its constants in it, and placeholders of the two parameters."""
    left = iter(params)

    def value(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%%"
        param = next(left)
        if isinstance(param, str) and param in PARAMETERS:
            return PARAMETERS[param]
        literal: str = connection.ops.compose_sql("%s", [param])
        return literal.replace("%", "%%")

    return re.sub("%[%s]", value, sql)
