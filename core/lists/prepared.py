"""Statements of pages that are built once (docs/decisions/0017): the records of a page, and their values.

The ORM takes longer to build them than PostgreSQL to run them. The values depend only on the output, apart from the
company and the ids of the page's records, so PostgreSQL plans their statement once too. The records depend only on the
shape of the section, apart from the company and the cursor's values.
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
from psycopg.postgres import types
from psycopg.types.string import TextLoader

from core.lists.fields import ListField
from core.lists.keyset import AnyOf, Place, Section, SortKey
from core.lists.relations import RelationField
from core.tenancy import active_scope, company_scope
from core.tenancy.postgresql.times import TIMESTAMPTZ, api_time, read_time
from core.types import JsonObject

ROW_ID = "list_id"
COMPANY = "f" * 24
"""Stands for the active company while a statement is built."""
IDS = "\x00ids\x00"
"""Stands for the ids of the records."""
PARAMETERS = {COMPANY: "%(company)s", IDS: "%(ids)s"}
JSONB = types["jsonb"].oid
Row = JsonObject


class Output(Protocol):
    """An output. With `fixed` its columns depend on nothing but the active company (core.api.output.Output.fixed)."""

    def project(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Select the columns of the output with `.values(...)`."""


class _Ids(Expression):
    """Placeholder of the ids."""

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
            _read_as_text(cursor)
            # As an array's text: ObjectIds need no quotes, and psycopg would look at each.
            cursor.execute(self.sql, {"company": company, "ids": f"{{{','.join(ids)}}}"})
            columns = list(zip(*cursor.fetchall(), strict=True))
            types = [cursor.pgresult.ftype(i) for i in range(len(columns))]
        # Convert by columns: a Python call for each value would cost more than the conversion.
        for i, type in enumerate(types):
            if type == TIMESTAMPTZ:
                columns[i] = tuple([value and api_time(value) for value in columns[i]])
            elif type == JSONB:
                columns[i] = orjson.loads(f"[{','.join([value or 'null' for value in columns[i]])}]")
        records = [dict(zip(self.names, row, strict=True)) for row in zip(*columns, strict=True)]
        for name, functions, expression in self.converters:
            for row in records:
                for function in functions:
                    row[name] = function(row[name], expression, connection)
        return records


def _read_as_text(cursor: Any) -> None:
    """Make the cursor return times and JSON in PostgreSQL's text format."""
    for name in ("timestamptz", "jsonb"):
        cursor.adapters.register_loader(name, TextLoader)


def rows_of(queryset: QuerySet[Any], ids: Sequence[str], output: Output) -> list[Row]:
    """Return the rows of the queryset's records with these ids, in the order of the ids.

    A record that has gone since its id was read is left out.
    """
    if not ids:
        return []
    scope = active_scope()
    if scope is not None and scope.company_id is not None and getattr(output, "fixed", False):
        model: Any = queryset.model
        projection: Any = output
        rows = _prepare(model, queryset.db, projection).rows(queryset.db, scope.company_id, ids)
    else:
        rows = list(_project(queryset, Value(list(ids), output_field=Field()), output))
    by_id = {row[ROW_ID]: row for row in rows}
    return [by_id[id] for id in ids if id in by_id]


# Built in the scope of a company that does not exist, whose id is then replaced by a parameter.
@lru_cache(maxsize=64)
def _prepare(model: Any, using: str, output: Any) -> Prepared:
    """Build the statement. It lacks the list's own conditions: the records with the ids met them."""
    with company_scope(COMPANY):
        query = _project(model._default_manager.using(using), _Ids(output_field=Field()), output).query
        compiler = query.get_compiler(using)
        sql, params = compiler.as_sql()
    names = (*query.extra_select, *query.values_select, *query.annotation_select)
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    return Prepared(
        _bound(sql, params, PARAMETERS, connections[using]),
        names,
        tuple(
            (names[column], tuple(functions), expression)
            for column, (functions, expression) in converters.items()
            # Read by column above, in one call.
            if not isinstance(expression.output_field, JSONField)
        ),
    )


def _project(queryset: QuerySet[Any], ids: Expression, output: Output) -> QuerySet[Any]:
    rows: QuerySet[Any] = output.project(queryset.order_by().filter(AnyOf("pk", ids))).annotate(**{ROW_ID: F("pk")})
    return rows


Condition = tuple[type[Any], Any, Any]
"""A lookup, its column and its value."""


@dataclass(frozen=True)
class _Shape:
    """The cache key of the statement of a section's ids, without the company and the cursor's values.

    `lacks` are flags for null among these values; None: there is no cursor. `section` is one of this shape.
    """

    model: Any
    using: str
    conditions: tuple[Condition, ...]
    sort: tuple[SortKey, ...]
    nulls: int
    lacks: tuple[bool, ...] | None
    company: str = field(compare=False)
    section: Section = field(compare=False)

    @property
    def walks(self) -> bool:
        """Return whether one index scan yields the list: no filters, and a sort by columns of the table."""
        values = {value for _, _, value in self.conditions}
        return values <= {COMPANY, True, False} and all(key.field.local for key in self.sort)


def places_of(section: Section, skip: int, count: int) -> list[Place]:
    """Return the places of `count` of the section's records, after `skip`.

    Where the conditions are plain, the statement is built once. PostgreSQL gets it with its values and plans it for
    them, or where only an order is asked for (`walks`), once for each session. Times are texts then: of a page's
    places, the cursor needs one (`sort_values`).
    """
    shape = _shape(section)
    if shape is None:
        return section.first_places(skip, count)
    values = {f"after{i}": value for i, value in enumerate(section.after or ())}
    lead = [None] * section.nulls
    connection: Any = connections[shape.using]
    # A general plan is right only where the index is walked for every company.
    with connection.planned_cursor() if shape.walks and not skip else connection.cursor() as cursor:
        _read_as_text(cursor)
        cursor.execute(f"{_prepare_places(shape)} LIMIT {count} OFFSET {skip}", {"company": shape.company, **values})
        return [[*lead, *row] for row in cursor.fetchall()]


def sort_values(place: Place, sort: Sequence[SortKey]) -> Place:
    """Return the sort values and the id of a place, with its times read."""
    values = list(place)
    for i, key in enumerate(sort):
        if key.field.stored == "date" and isinstance(values[i], str):
            values[i] = read_time(values[i])
    return values


def _shape(section: Section) -> _Shape | None:
    """Return the section's shape, or None where only the ORM knows the statement."""
    scope = active_scope()
    if scope is None or scope.company_id is None or section.near is not None or section.within is not None:
        return None
    if any(type(key.field) not in (ListField, RelationField) for key in section.sort):
        return None  # a custom field is another object in each request
    plain = plain_conditions(section.listed, scope.company_id)
    if plain is None:
        return None
    lacks = None if section.after is None else tuple(value is None for value in section.after)
    return _Shape(
        section.listed.model, section.listed.db, plain, section.sort, section.nulls, lacks, scope.company_id, section
    )


def plain_conditions(queryset: QuerySet[Any], company: str) -> tuple[Condition, ...] | None:
    """Return the queryset's conditions if each compares a column of its own with a constant, otherwise None.

    COMPANY replaces the company's id.
    """
    query = queryset.query
    if query.annotations or query.extra or query.distinct or query.combinator or query.is_sliced:
        return None
    if query.where.negated or query.where.connector != "AND":
        return None
    conditions = [_condition(condition, query.base_table, company) for condition in query.where.children]
    plain = tuple(condition for condition in conditions if condition is not None)
    return plain if len(plain) == len(conditions) else None


def _condition(node: Any, table: str, company: str) -> Condition | None:
    """Return the condition if it compares a column of the table with a constant."""
    column, value = getattr(node, "lhs", None), getattr(node, "rhs", None)
    # Only constants of few kinds, or each value would make a statement of its own in the cache.
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

    def value(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%%"
        param = next(left)
        if isinstance(param, str) and param in parameters:
            return parameters[param]
        literal: str = connection.ops.compose_sql("%s", [param])
        # The literal is put into a text whose percent signs psycopg reads.
        return literal.replace("%", "%%")

    return re.sub("%[%s]", value, sql)
