"""Outputs: one declaration of a resource's fields gives the columns to read and the published schema."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, ClassVar, TypeAlias

from django.db.models import Case, F, QuerySet, Value, When
from django.db.models.expressions import BaseExpression
from django.db.models.functions import JSONObject
from rest_framework import serializers

from core.fields import JSONField
from core.internals.rest_framework import declared_fields, declared_source
from core.types import JsonObject, Values

PREFIX = "out_"

PROGRESS = frozenset(
    {
        "total",
        "processed",
        "percent",
        "rate",
        "eta",
        "created",
        "failed",
        "error",
        "startedAt",
        "finishedAt",
        "updatedAt",
    }
)
"""Names of values that change while a job runs (Output.moving)."""
HEALTH = frozenset(
    {"lastError", "lastErrorAt", "pausedUntil", "pausedReason", "stoppedAt", "stoppedWhy", "updatedAt", "verified"}
)
"""Names of values that change when a connected app fails or works again (Output.moving)."""

SENDING = frozenset(
    {"sent", "opened", "clicked", "counts", "occurrence", "nextOccurrenceAt", "nextDueAt", "nextDecision", "reasons"}
)
"""Names of values that change while messages are sent (Output.moving)."""

AnyField: TypeAlias = "serializers.Field[Any, Any, Any, Any]"


def to_snake_case(name: str) -> str:
    """Convert `createdAt` to `created_at`, and `_id` to `id`."""
    if name == "_id":
        return "id"
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


class IdField(serializers.CharField):
    """An ObjectId in a response."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", "ObjectId")
        super().__init__(min_length=24, max_length=24, **options)


class Computed(serializers.Field[Any, Any, Any, Any]):
    """A field whose value is an expression, or is set by `Output.finish`. `schema` is the field of its schema."""

    def __init__(self, schema: AnyField, expression: BaseExpression | None = None, **options: Any) -> None:
        self.schema = schema
        self.expression = expression
        super().__init__(read_only=True, **options)


# The published schema shows this docstring for outputs that have none.
class Output(serializers.Serializer[Any]):
    """An allowlist of output fields.

    A name refers to the model's field in snake_case unless `source` is given. A nested Output is the snapshot of a
    reference: an object, or null.
    """

    _names: ClassVar[tuple[tuple[str, str], ...]]
    fixed: ClassVar[bool] = False
    """The columns depend on nothing but the active company, so lists build their statement once (core.lists.prepared).
    """
    reads: ClassVar[tuple[str, ...]] = ()
    """Paths that `finish` needs and that aren't output fields."""
    conceals: ClassVar[tuple[str, ...]] = ()
    """Names that visiting staff don't see: secrets, and links that need no login."""
    signs: ClassVar[tuple[str, ...]] = ()
    """Names of links, which get a new signature in each answer."""
    moving: ClassVar[frozenset[str]] = frozenset()
    """Names of values that change without an edit of the record, such as progress. A PUT may repeat an old one."""
    always: ClassVar[tuple[str, ...] | None] = None
    """The only names that every answer has, where the others may be left out together."""

    @classmethod
    def columns(cls) -> dict[str, str | BaseExpression]:
        """Return output name -> path or expression."""
        paths: dict[str, str | BaseExpression] = {}
        for name, field in declared_fields(cls).items():
            source = field.source or declared_source(field) or to_snake_case(name)
            if isinstance(field, Computed):
                if field.expression is not None:
                    paths[name] = field.expression
            elif isinstance(field, Output):
                paths[name] = snapshot(source.replace(".", "__"), type(field))
            else:
                paths[name] = source.replace(".", "__")
        return paths

    @classmethod
    def project(cls, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Select dicts of the output columns. `render` converts each to its output."""
        names: list[str] = [*cls.reads]
        expressions: JsonObject = {}
        for name, column in cls.columns().items():
            if isinstance(column, str):
                names.append(column)
            else:
                expressions[PREFIX + name] = column
        rows: QuerySet[Any] = queryset.annotate(**expressions).values(*dict.fromkeys(names), *expressions)
        return rows

    @classmethod
    def render(cls, row: Values) -> JsonObject:
        """Convert a projected row to its output."""
        names = cls.__dict__.get("_names")
        if names is None:
            names = tuple(
                (name, column if isinstance(column, str) else PREFIX + name) for name, column in cls.columns().items()
            )
            cls._names = names
        return cls.finish({name: row[key] for name, key in names}, row)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        """Change the output in ways that SQL cannot. The default changes nothing."""
        return data

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        """Add values that are read for all rows at once, such as counts. The default adds none."""
        return rows

    @classmethod
    def chosen(cls, rows: list[JsonObject], names: Collection[str]) -> list[JsonObject]:
        """Keep these fields of the rows. `complete` is left out unless one of them may come from it."""
        if not cls.columns().keys() >= set(names):
            rows = cls.complete(rows)
        return [{name: value for name, value in row.items() if name in names} for row in rows]

    @classmethod
    def one(cls, queryset: QuerySet[Any]) -> JsonObject | None:
        """Return the output of the queryset's only row, or None."""
        row = cls.project(queryset).first() if queryset.ordered else cls.project(queryset.order_by("pk")).first()
        return None if row is None else cls.complete([cls.render(row)])[0]


class Deleted(Output):
    """The number of deleted records."""

    deletedCount = Computed(serializers.IntegerField())


def snapshot_columns(path: str, output: type[Output]) -> JsonObject:
    """Return output name -> expression of a reference's sub-object below `path`."""
    pairs: JsonObject = {}
    for name, column in output.columns().items():
        pairs[name] = F(f"{path}__{column}" if path else column) if isinstance(column, str) else column
    return pairs


def snapshot(path: str, output: type[Output]) -> BaseExpression:
    """Make the expression of a reference as a nested object, null if it is empty."""
    return Case(
        When(**{f"{path}__isnull": True}, then=Value(None, output_field=JSONField())),
        default=JSONObject(**snapshot_columns(path, output)),
        output_field=JSONField(),
    )


__all__ = ["Computed", "Deleted", "IdField", "Output", "to_snake_case", "snapshot", "snapshot_columns"]
