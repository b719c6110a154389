"""Statements that are built once: what a page reads of its records, whichever these are.

The ORM takes longer to build the joins and expressions of a large output than PostgreSQL to answer them. They depend on
the output and the order alone, but for the company and for the ids of the page's records, which the statement is given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from django.db import connections
from django.db.models import Expression, ExpressionWrapper, Field, QuerySet

from core.lists.fields import ListField
from core.lists.keyset import AnyOf, Section, SortKey, section_of
from core.lists.relations import RelationField
from core.tenancy import active_scope, company_scope

PREFIX = "list_sort_"
IDS = "\x00ids\x00"
COMPANY = "f" * 24
"""Stands for the active company while a statement is built."""
Row = dict[str, Any]


class Output(Protocol):
    """An output whose columns depend on nothing but the active company (core.api.output.Output.fixed)."""

    def project(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Select the columns of the output with `.values(...)`."""


class _Ids(Expression):
    """Where the statement of the ids goes."""

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        return "ARRAY(%s)", (IDS,)


@dataclass(frozen=True)
class Prepared:
    """A statement in two parts, around that of the ids. `converters` has the position of a column and its functions."""

    head: str
    tail: str
    head_params: tuple[Any, ...]
    tail_params: tuple[Any, ...]
    names: tuple[str, ...]
    converters: tuple[tuple[int, tuple[Callable[..., Any], ...], Any], ...]

    def rows(self, ids: QuerySet[Any]) -> list[Row]:
        """Return the rows of the records with these ids."""
        scope = active_scope()
        connection = connections[ids.db]
        sql, params = ids.query.get_compiler(ids.db).as_sql()
        company = None if scope is None else scope.company_id
        own = [
            [company if value == COMPANY else value for value in part] for part in (self.head_params, self.tail_params)
        ]
        with connection.cursor() as cursor:
            cursor.execute(self.head + sql + self.tail, [*own[0], *params, *own[1]])
            found = [list(row) for row in cursor.fetchall()]
        for position, functions, expression in self.converters:
            for row in found:
                for function in functions:
                    row[position] = function(row[position], expression, connection)
        return [dict(zip(self.names, row, strict=True)) for row in found]


def rows_of(section: Section, output: Output, skip: int, count: int) -> list[Row]:
    """Return `count` of the section's rows, after `skip`, with their sort values (`sort_name`)."""
    ids = section.ids(skip, count)
    prepared = _prepared(section, output)
    if prepared is not None:
        return prepared.rows(ids)
    return list(output.project(section.rows(ids)).annotate(**sort_names(section)))


def _prepared(section: Section, output: Output) -> Prepared | None:
    """Return the statement for the section's rows, or None if it cannot be built once.

    It leaves out the conditions of `shown`: the records with the ids meet them.
    """
    scope = active_scope()
    if scope is None or scope.company_id is None or not getattr(output, "fixed", False):
        return None
    if any(type(key.field) not in (ListField, RelationField) for key in section.sort):
        return None  # a custom field is another object in each request
    model: Any = section.shown.model
    chosen: Any = output
    return _prepare(model, section.shown.db, chosen, section.sort, section.nulls)


@lru_cache(maxsize=256)
def _prepare(model: Any, using: str, output: Any, sort: tuple[SortKey, ...], nulls: int) -> Prepared:
    with company_scope(COMPANY):
        rows = model._default_manager.using(using).filter(AnyOf("pk", _Ids(output_field=Field())))
        section = section_of(rows, rows, sort, nulls)
        query = output.project(section.ordered()).annotate(**sort_names(section)).query
        compiler = query.get_compiler(using)
        sql, params = compiler.as_sql()
    names: tuple[str, ...] = (*query.extra_select, *query.values_select, *query.annotation_select)
    found = compiler.get_converters([column for column, _, _ in compiler.select])
    at = list(params).index(IDS)
    position = _nth(sql, at)
    return Prepared(
        sql[:position],
        sql[position + 2 :],
        tuple(params[:at]),
        tuple(params[at + 1 :]),
        names,
        tuple((column, tuple(functions), expression) for column, (functions, expression) in found.items()),
    )


def sort_names(section: Section) -> dict[str, ExpressionWrapper[Any]]:
    """Return the sort values of the section under the names that its rows carry them by."""
    return {sort_name(i): value for i, value in enumerate(section.expressions) if value is not None}


def sort_name(position: int) -> str:
    """Return the name of a sort value in a row."""
    return f"{PREFIX}{position}"


def _nth(sql: str, wanted: int) -> int:
    """Return where the placeholder of the parameter stands in the statement."""
    position = -2
    for _ in range(wanted + 1):
        position = sql.index("%s", position + 2)
    return position
