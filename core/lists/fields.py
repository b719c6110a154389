"""What a list can be filtered, searched and sorted by: each list declares its fields once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from django.db.models import (
    Exists,
    Expression,
    ExpressionWrapper,
    F,
    Field,
    FilteredRelation,
    ForeignKey,
    Model,
    OuterRef,
    Q,
    QuerySet,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Upper
from django.db.models.lookups import IsNull

from core.errors import shorten
from core.lists.values import KINDS, Kind, refuse

Condition = Callable[[Expression], Q]
"""A predicate over a column, which is never true for null."""


def column(expression: str | Combinable) -> ExpressionWrapper:
    """The expression with an output field that hands values over unchanged; a string is an ORM path."""
    return ExpressionWrapper(F(expression) if isinstance(expression, str) else expression, output_field=Field())


class ListField:
    """A field with at most one value: a column, a path over foreign keys, or an expression.

    `nullable` may only be False when no row can lack a value. `ignore_case` makes equals, in and sorts compare capitals.
    `narrow` gives, for a text that is contained, an implied condition that an index can answer, or None (core.lists.narrowing.Narrow).
    `respell` gives the spellings of a text that a search looks for.
    """

    many = False
    stored: Kind
    """What the column holds; a boolean may be a number there, 0 or 1."""

    def __init__(
        self,
        name: str,
        type: Kind,
        expression: str | Combinable,
        *,
        searchable: bool = False,
        sortable: bool = True,
        filterable: bool = True,
        nullable: bool = True,
        ignore_case: bool = False,
        narrow: Callable[[str], Q | None] | None = None,
        respell: Callable[[str], tuple[str, ...]] = lambda text: (text,),
    ) -> None:
        if type not in KINDS:
            raise ValueError(f"{name}: the type is one of {', '.join(KINDS)}, not {type!r}")
        if type != "text" and (searchable or ignore_case or narrow):
            raise ValueError(f"{name}: only text can be searched")
        self.name = name
        self.type: Kind = type
        self.stored = type
        self.expression = expression
        self.searchable = searchable
        self.sortable = sortable
        self.filterable = filterable
        self.nullable = nullable
        self.ignore_case = ignore_case
        self.narrow = narrow
        self.respell = respell

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.type}>"

    def to_column(self, value: Any) -> Any:
        """The value as it stands in the column."""
        return int(value) if self.type == "boolean" and self.stored == "number" else value

    def where(self, condition: Condition) -> Q:
        """The records of which a value meets the condition."""
        return condition(column(self.expression))

    def where_not(self, condition: Condition) -> Q:
        """The records of which no value meets the condition; those without value are among them."""
        negated = ~self.where(condition)
        return Q(IsNull(column(self.expression), True)) | negated if self.nullable else negated

    # What follows serves sorting (core.lists.keyset). `slot` tells the joins of several sort keys apart.

    @property
    def _sorted_by(self) -> str | Combinable:
        return Upper(self.expression) if self.ignore_case else self.expression

    @property
    def local(self) -> bool:
        """Whether the sort value is a column of the listed table itself, so that one index can hold the whole sort."""
        return isinstance(self.expression, str) and "__" not in self.expression

    @property
    def empty_column(self) -> str | Combinable | None:
        """What an index of the listed table holds, and is null wherever there is no sort value."""
        return self._sorted_by if self.local else None

    @property
    def sorts_alone(self) -> bool:
        """Whether `sort_value` and `tie_break` are columns of one table, so that one index can hold both."""
        return self.local

    def join(self, queryset: QuerySet, slot: int) -> QuerySet:
        """The queryset in which `sort_value(slot)` can be used."""
        return queryset

    def sort_value(self, slot: int) -> ExpressionWrapper:
        return column(self._sorted_by)

    def tie_break(self, slot: int) -> ExpressionWrapper:
        """The record's id, from the table that the sort value comes from."""
        return column("pk")

    def valued(self, slot: int) -> Q:
        """The joined rows that have a value."""
        return Q(IsNull(self.sort_value(slot), False))

    def unvalued(self) -> Q:
        """The rows that have none, without any join."""
        return Q(IsNull(column(self.expression), True))


class ManyField(ListField):
    """A field with any number of values: `expression` below the rows that `rows()` gives for `OuterRef("pk")`.

    Every condition is an EXISTS, so that no record comes twice; equals means that one of the values equals.
    """

    many = True

    def __init__(
        self,
        name: str,
        type: Kind,
        rows: Callable[[], QuerySet],
        expression: str | Combinable,
        *,
        searchable: bool = False,
        filterable: bool = True,
    ) -> None:
        super().__init__(name, type, expression, searchable=searchable, filterable=filterable, sortable=False)
        self.rows = rows

    def where(self, condition: Condition) -> Q:
        return Q(Exists(self.rows().filter(condition(column(self.expression)))))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)


class ValueTableField(ListField):
    """A custom field, whose values are rows of a typed table: `column` of `model` where field_id matches, one row a record.

    `key` holds further equalities that find that row, such as {"position": 0}: with a unique index over record_ref, field_id and these,
    PostgreSQL knows that there is one row at most and is free to begin with whichever table is quicker.
    `record_ref` is the model's foreign key to the listed records; it needs a related_name. Filters are EXISTS; a sort walks the
    index (field_id, column, record_ref). With `many`, a record may have several rows and cannot be sorted by them.
    `stored` is "number" for booleans kept as 0 and 1. `narrow` is a condition on the rows of values.
    """

    def __init__(
        self,
        model: type[Model],
        field_id: str,
        column: str,
        record_ref: str,
        type: Kind,
        *,
        name: str | None = None,
        stored: Kind | None = None,
        key: Mapping[str, Any] | None = None,
        many: bool = False,
        searchable: bool = False,
        sortable: bool = True,
        filterable: bool = True,
        narrow: Callable[[str], Q | None] | None = None,
    ) -> None:
        super().__init__(
            name or field_id,
            type,
            column,
            searchable=searchable,
            sortable=sortable and not many,
            filterable=filterable,
            narrow=narrow,
        )
        if stored not in (None, type) and (type, stored) != ("boolean", "number"):
            raise ValueError(f"{self.name}: a {type} cannot be stored as {stored}")
        self.stored = stored or type
        self.model = model
        self.key = {"field_id": field_id, **(key or {})}
        self.column = column
        self.record_ref = record_ref
        self.many = many

    @property
    def _reference(self) -> ForeignKey:
        return cast(ForeignKey, self.model._meta.get_field(self.record_ref))

    def _rows(self) -> QuerySet:
        return self.model._default_manager.filter(**{self.record_ref: OuterRef("pk")}, **self.key)

    def where(self, condition: Condition) -> Q:
        return Q(Exists(self._rows().filter(condition(column(self.column)))))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)

    local = False  # type: ignore[assignment]
    sorts_alone = True  # type: ignore[assignment]

    def join(self, queryset: QuerySet, slot: int) -> QuerySet:
        relation = self._reference.related_query_name()
        condition = Q(**{f"{relation}__{name}": value for name, value in self.key.items()})
        return queryset.annotate(**{_alias(slot): FilteredRelation(relation, condition=condition)})

    def sort_value(self, slot: int) -> ExpressionWrapper:
        return column(f"{_alias(slot)}__{self.column}")

    def tie_break(self, slot: int) -> ExpressionWrapper:
        return column(f"{_alias(slot)}__{self._reference.attname}")

    def valued(self, slot: int) -> Q:
        # As keyword, since Django makes the join an INNER JOIN only for these.
        return Q(**{f"{_alias(slot)}__{self.column}__isnull": False})

    def unvalued(self) -> Q:
        return self.where_not(lambda value: Q(IsNull(value, False)))


def _alias(slot: int) -> str:
    return f"sort_values_{slot}"


class FieldSet:
    """The fields of one list. `default_order` goes with `default_sort`; a sort that is asked for is desc unless told otherwise.

    `dynamic` finds fields that are not known before, such as a company's custom fields.
    """

    def __init__(
        self,
        fields: Iterable[ListField],
        *,
        default_sort: tuple[str, ...] = ("createdAt", "name"),
        default_order: str = "desc",
        default_search: tuple[str, ...] = (),
        dynamic: Callable[[str], ListField | None] | None = None,
    ) -> None:
        self.fields: Mapping[str, ListField] = {field.name: field for field in fields}
        self.default_sort = default_sort
        self.default_order = default_order
        self.default_search = default_search
        self.dynamic = dynamic
        for name in default_sort:
            if name not in self.fields or not self.fields[name].sortable:
                raise ValueError(f"default_sort: {name!r} is no sortable field")
        for name in default_search:
            if name not in self.fields or not self.fields[name].searchable:
                raise ValueError(f"default_search: {name!r} is no searchable field")

    def sortable(self, name: str, parameter: str) -> ListField:
        """The field to sort by; one that does not exist or cannot be sorted by is a 400."""
        return self._find(name, parameter, "sortable", "sort by")

    def searchable(self, name: str, parameter: str) -> ListField:
        """The field to search in; one that does not exist or cannot be searched is a 400."""
        return self._find(name, parameter, "searchable", "search in")

    def filterable(self, name: str, parameter: str) -> ListField:
        """The field to filter by; one that does not exist or cannot be filtered by is a 400."""
        return self._find(name, parameter, "filterable", "filter by")

    def _find(self, name: Any, parameter: str, ability: str, use: str) -> ListField:
        found = self.fields.get(name) if isinstance(name, str) else None
        if (
            found is None
            and self.dynamic is not None
            and isinstance(name, str)
            and "\0" not in name
            and len(name) <= 200
        ):
            found = self.dynamic(name)
        if found is not None and getattr(found, ability):
            return found
        known = ", ".join(name for name, field in self.fields.items() if getattr(field, ability)) or "none"
        problem = "is unknown" if found is None else f"is not one to {use}"
        raise refuse(parameter, f"the field {shorten(name, 60)!r} {problem}; fields to {use}: {known}")
