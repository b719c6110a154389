"""What goes out: one declaration of a resource's fields, from which come the columns that are read and the schema that is published."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import Case, F, QuerySet, Value, When
from django.db.models.expressions import BaseExpression
from django.db.models.functions import JSONObject
from rest_framework import serializers

from core.fields import JSONField

PREFIX = "out_"


def snake(name: str) -> str:
    """`createdAt` becomes `created_at`; `_id` becomes `id`."""
    if name == "_id":
        return "id"
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda match: "_" + match[1].lower(), name)


def declared_source(field: serializers.Field) -> str | None:
    """The `source` that a class's field was declared with; DRF sets field.source only once it is bound."""
    return field._kwargs.get("source")  # type: ignore[attr-defined, no-any-return]


class IdField(serializers.CharField):
    """An ObjectId in a response."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("help_text", "ObjectId")
        super().__init__(min_length=24, max_length=24, **options)


class Computed(serializers.Field):
    """A field whose value is an expression, or is put in by `Output.finish`; `schema` is the serializer field that describes it."""

    def __init__(self, schema: serializers.Field, expression: BaseExpression | None = None, **options: Any) -> None:
        self.schema = schema
        self.expression = expression
        super().__init__(read_only=True, **options)


class Output(serializers.Serializer):
    """An allowlist of output fields. A name stands for the model's field in snake_case unless `source` says otherwise;
    a nested Output is the snapshot of a reference (an object, or null)."""

    _names: ClassVar[tuple[tuple[str, str], ...]]
    reads: ClassVar[tuple[str, ...]] = ()
    """Paths that `finish` needs and that do not go out by themselves."""
    conceals: ClassVar[tuple[str, ...]] = ()
    """Names that the company's own people see and visiting staff do not: secrets, and links that open without a login."""

    @classmethod
    def columns(cls) -> dict[str, str | BaseExpression]:
        """Output name -> path or expression."""
        found: dict[str, str | BaseExpression] = {}
        for name, field in cls._declared_fields.items():
            source = field.source or declared_source(field) or snake(name)
            if isinstance(field, Computed):
                if field.expression is not None:
                    found[name] = field.expression
            elif isinstance(field, Output):
                found[name] = snapshot(source.replace(".", "__"), type(field))
            else:
                found[name] = source.replace(".", "__")
        return found

    @classmethod
    def project(cls, queryset: QuerySet) -> QuerySet:
        """The queryset as dicts of just what goes out; `render` turns each into its final form."""
        names: list[str] = [*cls.reads]
        expressions: dict[str, Any] = {}
        for name, column in cls.columns().items():
            if isinstance(column, str):
                names.append(column)
            else:
                expressions[PREFIX + name] = column
        return queryset.annotate(**expressions).values(*dict.fromkeys(names), *expressions)

    @classmethod
    def render(cls, row: Mapping[str, Any]) -> dict[str, Any]:
        """A projected row under its output names."""
        names = cls.__dict__.get("_names")
        if names is None:
            names = tuple(
                (name, column if isinstance(column, str) else PREFIX + name) for name, column in cls.columns().items()
            )
            cls._names = names
        return cls.finish({name: row[key] for name, key in names}, row)

    @classmethod
    def finish(cls, data: dict[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
        """Last touches that SQL cannot make; the default makes none."""
        return data

    @classmethod
    def complete(cls, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rendered rows with what is read for all of them at once, such as counts; the default reads nothing."""
        return rows

    @classmethod
    def one(cls, queryset: QuerySet) -> dict[str, Any] | None:
        """The only row of the queryset as it goes out, or None."""
        row = cls.project(queryset).first() if queryset.ordered else cls.project(queryset.order_by("pk")).first()
        return None if row is None else cls.complete([cls.render(row)])[0]


class Deleted(Output):
    """How many records a deletion took."""

    deletedCount = Computed(serializers.IntegerField())


def snapshot_columns(path: str, output: type[Output]) -> dict[str, Any]:
    """The sub-object of a reference: output name -> expression below `path`."""
    pairs: dict[str, Any] = {}
    for name, column in output.columns().items():
        pairs[name] = F(f"{path}__{column}" if path else column) if isinstance(column, str) else column
    return pairs


def snapshot(path: str, output: type[Output]) -> BaseExpression:
    """A reference as a nested object, null where it is empty."""
    return Case(
        When(**{f"{path}__isnull": True}, then=Value(None, output_field=JSONField())),
        default=JSONObject(**snapshot_columns(path, output)),
        output_field=JSONField(),
    )


__all__ = ["Computed", "Deleted", "IdField", "Output", "snake", "snapshot", "snapshot_columns"]
