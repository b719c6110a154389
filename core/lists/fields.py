"""The fields that a list is filtered, searched and sorted by. Each list declares them once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
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
from core.lists.values import UNKNOWN_FIELD, VALUE_TYPES, Kind, refuse
from core.text.folding import SortText
from core.types import Values

Condition = Callable[[Expression], Q]
"""A condition on a column. It is never true for null."""


def expression_column(expression: str | Combinable) -> ExpressionWrapper[Any]:
    """Wrap the expression in an output field that passes values unchanged. A string is an ORM path."""
    return ExpressionWrapper(F(expression) if isinstance(expression, str) else expression, output_field=Field())


class ListField:
    """A field with at most one value: a column, a path over foreign keys, or an expression.

    `nullable` may only be False if no row can lack a value. `ignore_case` makes equals, in and sorts ignore case.
    `prefilter` returns an implied condition of "contains" that an index can serve, or None (core.lists.prefilter).
    `query_variants` returns the variants of a text to search. `sorted_by` is the path of a column with the sort key,
    which may be null, if that isn't the value itself.

    Other texts are sorted without case and accents. `digits` are texts without letters, such as phone numbers: they are
    compared and sorted as they are.
    """

    many = False
    keeps_days = False
    """True if its dates may be days (stored as midnight in UTC) as well as times."""
    labels: Mapping[str, str] = {}
    """Value -> the label by which people know it, which contains, startsWith and endsWith find too."""
    stored: Kind
    """The type of the column. It may store a boolean as a number, 0 or 1."""

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
        prefilter: Callable[[str], Q | None] | None = None,
        query_variants: Callable[[str], tuple[str, ...]] = lambda text: (text,),
        sorted_by: str | None = None,
        digits: bool = False,
    ) -> None:
        if type not in VALUE_TYPES:
            raise ValueError(f"{name}: the type is one of {', '.join(VALUE_TYPES)}, not {type!r}")
        if type != "text" and (searchable or ignore_case or prefilter):
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
        self.prefilter = prefilter
        self.query_variants = query_variants
        self.sorted_by = sorted_by
        self.digits = digits
        self.sorts_exactly = digits or type != "text"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.type}>"

    def to_column(self, value: Any) -> Any:
        """Convert the value to its form in the column."""
        return int(value) if self.type == "boolean" and self.stored == "number" else value

    def where(self, condition: Condition) -> Q:
        """Match the records that have a value which meets the condition."""
        return condition(expression_column(self.expression))

    def where_dated(self, of_days: Condition, of_times: Condition) -> Q:
        """Match the records whose value meets the condition for its kind. Needed where `keeps_days`."""
        raise NotImplementedError

    def where_not(self, condition: Condition) -> Q:
        """Match the records that have no value which meets the condition, those without a value included."""
        negated = ~self.where(condition)
        return Q(IsNull(expression_column(self.expression), True)) | negated if self.nullable else negated

    # For sorting (core.lists.keyset). `slot` numbers the sort keys, so that each has its own join.

    @property
    def _sorted_by(self) -> str | Combinable:
        if self.sorted_by is not None:
            return self.sorted_by
        if self.ignore_case:
            return Upper(self.expression)
        return self.expression if self.sorts_exactly else SortText(self.expression)

    @property
    def may_lack_key(self) -> bool:
        """Return whether records may have no sort value."""
        return self.nullable or self.sorted_by is not None

    def by_value(self) -> ListField:
        """Return the field without its sort key, for a sort that an index of values gives."""
        plain = copy(self)
        plain.sorted_by = None
        plain.sorts_exactly = True
        return plain

    @property
    def local(self) -> bool:
        """Return whether the sort value is a column of the listed table, so that one index can contain the whole
        sort."""
        return isinstance(self.expression, str) and "__" not in self.expression

    @property
    def empty_column(self) -> str | Combinable | None:
        """The indexed column of the listed table that is null in rows without a sort value."""
        return self._sorted_by if self.local else None

    @property
    def sorts_alone(self) -> bool:
        """Return whether `sort_value` and `tie_break` are columns of the same table, so that one index can contain
        both."""
        return self.local

    def join(self, queryset: QuerySet[Any], slot: int) -> QuerySet[Any]:
        """Return the queryset with the join that `sort_value(slot)` needs."""
        return queryset

    def sort_value(self, slot: int) -> ExpressionWrapper[Any]:
        return expression_column(self._sorted_by)

    def tie_break(self, slot: int) -> ExpressionWrapper[Any]:
        """Return the record's id, from the table of the sort value."""
        return expression_column("pk")

    def with_value(self, slot: int) -> Q:
        """Match the joined rows that have a value."""
        return Q(IsNull(self.sort_value(slot), False))

    def without_value(self) -> Q:
        """Match the rows without a value, without a join."""
        value = self.expression if self.ignore_case and not self.sorted_by else self._sorted_by
        return Q(IsNull(expression_column(value), True))


class ManyField(ListField):
    """A field with any number of values: `expression` below the rows that `rows()` gives for `OuterRef("pk")`.

    Every condition is an EXISTS, so that no record appears twice. "equals" means that one of the values is equal.
    """

    many = True

    def __init__(
        self,
        name: str,
        type: Kind,
        rows: Callable[[], QuerySet[Any]],
        expression: str | Combinable,
        *,
        searchable: bool = False,
        filterable: bool = True,
    ) -> None:
        super().__init__(name, type, expression, searchable=searchable, filterable=filterable, sortable=False)
        self.rows = rows

    def where(self, condition: Condition) -> Q:
        return Q(Exists(self.rows().filter(condition(expression_column(self.expression)))))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)


class HasValue(Exists):
    """A condition: the record has one of the rows.

    `ids` are the ids of all records that have one; with `many` a record may appear several times.
    """

    def __init__(self, rows: QuerySet[Any], record_ref: str, *, many: bool = False) -> None:
        super().__init__(rows.filter(**{record_ref: OuterRef("pk")}))
        self.ids = rows.order_by().values(record_ref)
        self.many = many
        self.record_ref = record_ref


class ValueTableField(ListField):
    """A custom field: its values are rows of a typed table, `column` of `model` where field_id matches.

    `key` has further equalities of that row, such as {"position": 0}. With a unique index over record_ref, field_id and
    these, PostgreSQL knows that there is at most one row and may start with either table.

    `record_ref` is the model's foreign key to the listed records and needs a related_name. Filters are EXISTS; a sort
    walks the index (field_id, column, record_ref). With `many` a record may have several rows and cannot be sorted by
    them.

    `stored` is "number" for booleans stored as 0 and 1. `prefilter` is a condition on the rows of values. `is_day`
    matches records whose value is a day without a time, for dates of both.
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
        key: Values | None = None,
        many: bool = False,
        searchable: bool = False,
        sortable: bool = True,
        filterable: bool = True,
        prefilter: Callable[[str], Q | None] | None = None,
        is_day: Q | None = None,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(
            name or field_id,
            type,
            column,
            searchable=searchable,
            sortable=sortable and not many,
            filterable=filterable,
            prefilter=prefilter,
        )
        if stored not in (None, type) and (type, stored) != ("boolean", "number"):
            raise ValueError(f"{self.name}: a {type} cannot be stored as {stored}")
        self.stored = stored or type
        self.model = model
        self.key = {"field_id": field_id, **(key or {})}
        self.column = column
        self.record_ref = record_ref
        self.many = many
        self.is_day = is_day
        self.labels = labels or {}

    @property
    def keeps_days(self) -> bool:  # type: ignore[override]
        return self.is_day is not None

    def where_dated(self, of_days: Condition, of_times: Condition) -> Q:
        matching = self.where(lambda value: of_days(value) | of_times(value))  # by the index; the rest decides
        day = self.is_day or Q()
        return matching & ((day & self.where(of_days)) | (~day & self.where(of_times)))

    @property
    def _reference(self) -> ForeignKey[Any, Any]:
        return cast("ForeignKey[Any, Any]", self.model._meta.get_field(self.record_ref))

    def where(self, condition: Condition) -> Q:
        rows = self.model._default_manager.filter(**self.key).filter(condition(expression_column(self.column)))
        return Q(HasValue(rows, self.record_ref, many=self.many))

    def where_not(self, condition: Condition) -> Q:
        return ~self.where(condition)

    local = False
    sorts_alone = True

    def join(self, queryset: QuerySet[Any], slot: int) -> QuerySet[Any]:
        relation = self._reference.related_query_name()
        condition = Q(**{f"{relation}__{name}": value for name, value in self.key.items()})
        joined: QuerySet[Any] = queryset.annotate(**{_alias(slot): FilteredRelation(relation, condition=condition)})
        return joined

    def sort_value(self, slot: int) -> ExpressionWrapper[Any]:
        path = f"{_alias(slot)}__{self.column}"
        return expression_column(path if self.sorts_exactly else SortText(path))

    def tie_break(self, slot: int) -> ExpressionWrapper[Any]:
        return expression_column(f"{_alias(slot)}__{self._reference.attname}")

    def with_value(self, slot: int) -> Q:
        # A keyword, since Django makes the join an INNER JOIN only for keywords.
        return Q(**{f"{_alias(slot)}__{self.column}__isnull": False})

    def without_value(self) -> Q:
        return self.where_not(lambda value: Q(IsNull(value, False)))


def _alias(slot: int) -> str:
    return f"sort_values_{slot}"


class FieldSet:
    """The fields of one list.

    `default_order` belongs to `default_sort`; a requested sort without an order is desc. `dynamic` finds fields by name
    that are not declared, such as a company's custom fields.
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
        # The default sort has an index of its own, in which names order records of the same time.
        first, *others = default_sort
        self.default_keys = {name: self.fields[name].by_value() for name in others} | {first: self.fields[first]}
        for name in default_search:
            if name not in self.fields or not self.fields[name].searchable:
                raise ValueError(f"default_search: {name!r} is no searchable field")

    def pick(self, *names: str) -> list[ListField]:
        """Return the declared fields of these names."""
        return [self.fields[name] for name in names]

    def sortable(self, name: str, parameter: str) -> ListField:
        """Return the field to sort by. Raises a 400 for an unknown field or one that cannot be sorted by."""
        return self._find(name, parameter, "sortable", "sort by")

    def searchable(self, name: str, parameter: str) -> ListField:
        """Return the field to search in. Raises a 400 for an unknown field or one that cannot be searched."""
        return self._find(name, parameter, "searchable", "search in")

    def filterable(self, name: str, parameter: str) -> ListField:
        """Return the field to filter by. Raises a 400 for an unknown field or one that cannot be filtered by."""
        return self._find(name, parameter, "filterable", "filter by")

    def _find(self, name: Any, parameter: str, ability: str, use: str) -> ListField:
        declared = self.fields.get(name) if isinstance(name, str) else None
        if (
            declared is None
            and self.dynamic is not None
            and isinstance(name, str)
            and "\0" not in name
            and len(name) <= 200
        ):
            declared = self.dynamic(name)
        if declared is not None and getattr(declared, ability):
            return declared
        names = ", ".join(name for name, field in self.fields.items() if getattr(field, ability)) or "none"
        problem, code = ("is unknown", UNKNOWN_FIELD) if declared is None else (f"is not one to {use}", "")
        raise refuse(parameter, f"the field {shorten(name, 60)!r} {problem}; fields to {use}: {names}", code)
