"""Statements of pages that are built once (docs/decisions/0017): which records a page has, and what is shown of them.

The ORM takes longer to build them than PostgreSQL to answer. What is shown depends on the output alone, but for the
company and for the ids of the page's records, so PostgreSQL plans it once too. Which records these are depends on the
shape of the section alone, but for the company and for the cursor's values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

import orjson
from django.db import connections
from django.db.models import Expression, F, Field, JSONField, QuerySet, Value
from django.db.models.expressions import Col
from psycopg.adapt import Loader
from psycopg.types.datetime import TimestamptzLoader

from core.lists.fields import ListField
from core.lists.keyset import AnyOf, Place, Section, SortKey
from core.lists.relations import RelationField
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
        _bound(sql, params, PARAMETERS, connections[using]),
        names,
        tuple(
            (names[column], tuple(functions), expression)
            for column, (functions, expression) in found.items()
            if not isinstance(expression.output_field, JSONField)
        ),
    )


def _projected(queryset: QuerySet[Any], ids: Expression, output: Output) -> QuerySet[Any]:
    rows: QuerySet[Any] = output.project(queryset.order_by().filter(AnyOf("pk", ids))).annotate(**{ROW_ID: F("pk")})
    return rows


Condition = tuple[type[Any], Any, Any]
"""A lookup, its column and its value."""


@dataclass(frozen=True)
class _Shape:
    """What the statement of a section's ids depends on, but for the company and the cursor's values.

    `lacks` says which of these values are null; None: there is no cursor. `section` is one of this shape.
    """

    model: Any
    using: str
    conditions: tuple[Condition, ...]
    sort: tuple[SortKey, ...]
    nulls: int
    lacks: tuple[bool, ...] | None
    company: str = field(compare=False)
    section: Section = field(compare=False)


def places_of(section: Section, skip: int, count: int) -> list[Place]:
    """Return the places of `count` of the section's records, after `skip`.

    Where the conditions are plain, the statement is built once. PostgreSQL gets it with its values and plans it for
    them.
    """
    shape = _shape(section)
    if shape is None:
        return section.first_places(skip, count)
    values = {f"after{i}": value for i, value in enumerate(section.after or ())}
    with connections[shape.using].cursor() as cursor:
        cursor.execute(f"{_prepare_places(shape)} LIMIT {count} OFFSET {skip}", {"company": shape.company, **values})
        return [[*[None] * section.nulls, *row] for row in cursor.fetchall()]


def _shape(section: Section) -> _Shape | None:
    """Return the section's shape, or None where only the ORM knows the statement."""
    scope, query = active_scope(), section.listed.query
    if scope is None or scope.company_id is None or section.near is not None or section.within is not None:
        return None
    if any(type(key.field) not in (ListField, RelationField) for key in section.sort):
        return None  # a custom field is another object in each request
    if query.annotations or query.extra or query.distinct or query.combinator or query.is_sliced:
        return None
    if query.where.negated or query.where.connector != "AND":
        return None
    conditions = [_condition(one, query.base_table, scope.company_id) for one in query.where.children]
    lacks = None if section.after is None else tuple(value is None for value in section.after)
    plain = tuple(one for one in conditions if one is not None)
    if len(plain) < len(conditions):
        return None
    return _Shape(
        section.listed.model, section.listed.db, plain, section.sort, section.nulls, lacks, scope.company_id, section
    )


def _condition(node: Any, table: str, company: str) -> Condition | None:
    """Return the condition if it compares a column of the table with a constant."""
    column, value = getattr(node, "lhs", None), getattr(node, "rhs", None)
    if not isinstance(column, Col) or column.alias != table or not isinstance(value, str | bool):
        return None
    if value != company:
        return type(node), column.target, value
    return (type(node), column.target, COMPANY) if column.target.name == "company" else None


@lru_cache(maxsize=256)
def _prepare_places(shape: _Shape) -> str:
    """Build the statement, with placeholders of the company and of the cursor's values."""
    section, parameters = shape.section, {shape.company: "%(company)s"}
    if shape.lacks is not None:
        marks = [None if lacks else f"\x00after{i}\x00" for i, lacks in enumerate(shape.lacks)]
        parameters |= {mark: f"%(after{i})s" for i, mark in enumerate(marks) if mark is not None}
        section = replace(section, after=marks)
    sql, params = section.places().query.get_compiler(shape.using).as_sql()
    return _bound(sql, params, parameters, connections[shape.using])


def _bound(sql: str, params: Sequence[Any], parameters: Mapping[str, str], connection: Any) -> str:
    """Return the statement with its constants in it, and placeholders of the parameters."""
    left = iter(params)

    def value(found: re.Match[str]) -> str:
        if found[0] == "%%":
            return "%%"
        param = next(left)
        if isinstance(param, str) and param in parameters:
            return parameters[param]
        literal: str = connection.ops.compose_sql("%s", [param])
        return literal.replace("%", "%%")

    return re.sub("%[%s]", value, sql)
