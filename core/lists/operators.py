"""The operators of filters, each in SQL and in Python with the same result.

Missing values: a field has no value if it is null; a text also if it is empty. A comparison is false without a value.
The exact opposites of equals, in, contains and withinLast are notEquals, notIn, notContains and notWithinLast. They
match records without a value. Several values (tags): a condition is true if one of them meets it, a negated one if none
does.

Text: equals and in respect case, unless the field ignores it. The operators contains, startsWith and endsWith ignore
case and accents (core.text.folding), and match options by their labels too.

Dates: a date without a time is its whole day in the condition's time zone (default: UTC). A time is the millisecond
that responses show. So equals 2026-01-31 matches that day, after excludes it and lessThanOrEqual includes it. Records'
own days (custom fields) are days in every time zone. A null as a value of equals, notEquals, in and notIn means "no
value".
"""

from __future__ import annotations

import calendar
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from django.db.models import Expression, Q
from django.db.models import lookups as sql
from django.db.models.functions import Upper

from core.errors import shorten
from core.lists.fields import Condition, ListField
from core.lists.values import Span, read_value, refuse, upper_text
from core.text.folding import Folded, fold

MAX_VALUES = 1000
MAX_AMOUNT = 100_000

EVERY = ("equals", "notEquals", "in", "notIn", "isEmpty", "isNotEmpty")
TEXT = ("contains", "notContains", "startsWith", "endsWith")
ORDERED = ("greaterThan", "greaterThanOrEqual", "lessThan", "lessThanOrEqual", "between")
DATE = ("before", "after", "withinLast", "notWithinLast", "withinNext")
RELATIVE = ("withinLast", "notWithinLast", "withinNext")
"""Operators whose values count from now."""
OPERATORS: dict[str, tuple[str, ...]] = {
    "text": EVERY + TEXT,
    "number": EVERY + ORDERED,
    "date": EVERY + ORDERED + DATE,
    "boolean": EVERY,
    "id": EVERY,
}
UNITS = ("minutes", "hours", "days", "weeks", "months", "years")


@dataclass(frozen=True)
class Predicate:
    """A test of one present value, in SQL (`condition`) and in Python (`holds`, of a `record_value`).

    `of_days` is the condition for values that are days, which are stored as midnight in UTC; None: the same one.
    """

    condition: Condition
    holds: Callable[[Any], bool]
    of_days: Condition | None = None


@dataclass(frozen=True)
class CompiledCondition:
    """A compiled condition: predicates with the result that is wanted of each, of which any or all must come true."""

    field: ListField
    predicates: tuple[tuple[Predicate, bool], ...]
    any_of: bool

    def q(self) -> Q:
        parts = [self._part(predicate, expected) for predicate, expected in self.predicates]
        whole = parts[0]
        for part in parts[1:]:
            whole = whole | part if self.any_of else whole & part
        return whole

    def _part(self, predicate: Predicate, expected: bool) -> Q:
        if predicate.of_days is not None and self.field.keeps_days:
            condition = self.field.where_dated(predicate.of_days, predicate.condition)
            return condition if expected else ~condition
        return self.field.where(predicate.condition) if expected else self.field.where_not(predicate.condition)

    def holds(self, values: list[Any]) -> bool:
        results = [
            any(predicate.holds(value) for value in values) == expected for predicate, expected in self.predicates
        ]
        return any(results) if self.any_of else all(results)


def compile_condition(
    field: ListField, operator: str, raw: Any, where: str, now: datetime, zone: tzinfo = UTC
) -> CompiledCondition:
    """Compile `field operator raw`, with the days of the zone.

    Raises a 400 about `where` for an operator or a value that does not fit the field's type.
    """
    operators = OPERATORS[field.type]
    if operator not in operators:
        raise refuse(
            where,
            f"the operator {shorten(operator, 40)!r} does not fit a {field.type}; allowed: {', '.join(operators)}",
        )
    if operator in ("isEmpty", "isNotEmpty"):
        return CompiledCondition(field, ((_has_value(field), operator == "isNotEmpty"),), any_of=True)
    if operator in ("equals", "notEquals"):
        return _membership(field, [raw], where, zone, wanted=operator == "equals")
    if operator in ("in", "notIn"):
        return _membership(field, _array(raw, where), where, zone, wanted=operator == "in")
    if operator in TEXT:
        return _text(field, operator, raw, where)
    predicate = _day_predicate(lambda of: _range(field, operator, raw, where, now, of), zone)
    return CompiledCondition(field, ((predicate, operator != "notWithinLast"),), any_of=True)


def _day_predicate(make: Callable[[tzinfo], Predicate], zone: tzinfo) -> Predicate:
    """Make a predicate by the days of the zone; of values that are days themselves, by those of UTC."""
    predicate = make(zone)
    return predicate if str(zone) == str(UTC) else replace(predicate, of_days=make(UTC).condition)


def contains(field: ListField, text: str) -> Q:
    """Match the records that have a value which contains the text, ignoring case and accents."""
    return _text(field, "contains", text, field.name).q()


def _has_value(field: ListField) -> Predicate:
    if field.type != "text":
        return Predicate(lambda value: Q(sql.IsNull(value, False)), lambda value: True)
    return Predicate(lambda value: Q(sql.IsNull(value, False)) & ~Q(sql.Exact(value, "")), lambda value: value != "")


def _array(raw: Any, where: str) -> list[Any]:
    if not isinstance(raw, list | tuple):
        raise refuse(where, "needs an array of values")
    if not 1 <= len(raw) <= MAX_VALUES:
        raise refuse(where, f"needs 1 to {MAX_VALUES} values, got {len(raw)}")
    return list(raw)


def _membership(field: ListField, raws: list[Any], where: str, zone: tzinfo, *, wanted: bool) -> CompiledCondition:
    predicates: list[tuple[Predicate, bool]] = []
    present = [raw for raw in raws if raw is not None]

    def one_of(zone: tzinfo) -> Predicate:
        return _one_of(field, [read_value(field.type, raw, where, field.name, zone) for raw in present])

    if present:
        predicates.append((_day_predicate(one_of, zone), wanted))
    if len(present) < len(raws):
        predicates.append((_has_value(field), not wanted))
    return CompiledCondition(field, tuple(predicates), any_of=wanted)


def _one_of(field: ListField, values: list[Any]) -> Predicate:
    if field.type == "date":
        spans = [_Range(low=span.start, high=span.end, high_included=False) for span in values]
        return Predicate(
            lambda value: _any_of([span.condition(value) for span in spans]),
            lambda value: any(span.holds(value) for span in spans),
        )
    if field.ignore_case:
        accepted = {upper_text(value) for value in values}
        return Predicate(
            lambda value: _equal(Upper(value), list(accepted)), lambda value: upper_text(value) in accepted
        )
    accepted = set(values)
    stored = [field.to_column(value) for value in accepted]
    return Predicate(lambda value: _equal(value, stored), lambda value: value in accepted)


def _equal(value: Expression, accepted: list[Any]) -> Q:
    return Q(sql.Exact(value, accepted[0])) if len(accepted) == 1 else Q(sql.In(value, accepted))


def _any_of(conditions: list[Q]) -> Q:
    whole = conditions[0]
    for condition in conditions[1:]:
        whole |= condition
    return whole


_LIKE: dict[str, tuple[type[Any], Callable[[str, str], bool]]] = {
    "contains": (sql.Contains, lambda value, text: text in value),
    "notContains": (sql.Contains, lambda value, text: text in value),
    "startsWith": (sql.StartsWith, str.startswith),
    "endsWith": (sql.EndsWith, str.endswith),
}


def _text(field: ListField, operator: str, raw: Any, where: str) -> CompiledCondition:
    text = read_value("text", raw, where, field.name)
    if not text:
        raise refuse(where, f"{operator} needs a text that is not empty; use isEmpty or isNotEmpty")
    lookup, compare = _LIKE[operator]
    folded = fold(text)
    if not folded:
        raise refuse(where, f"{operator} needs a text with letters, digits or signs, not accents alone")
    expected = operator != "notContains"
    prefilter = (field.prefilter(text) if field.prefilter and expected else None) or Q()
    labelled = [value for value, label in field.labels.items() if compare(fold(label), folded)]

    def condition(value: Expression) -> Q:
        contains_text = prefilter & Q(lookup(value if field.digits else Folded(value, folded), folded))
        return contains_text | _equal(value, labelled) if labelled else contains_text

    predicate = Predicate(
        condition,
        lambda value: value in labelled or compare(value if field.digits else fold(value), folded),
    )
    return CompiledCondition(field, ((predicate, expected),), any_of=True)


@dataclass(frozen=True)
class _Range:
    """Values from `low` to `high`; None is no bound."""

    low: Any = None
    low_included: bool = True
    high: Any = None
    high_included: bool = True

    def condition(self, value: Expression) -> Q:
        parts = Q()
        if self.low is not None:
            parts &= Q((sql.GreaterThanOrEqual if self.low_included else sql.GreaterThan)(value, self.low))
        if self.high is not None:
            parts &= Q((sql.LessThanOrEqual if self.high_included else sql.LessThan)(value, self.high))
        return parts or Q(sql.IsNull(value, False))

    def holds(self, value: Any) -> bool:
        above = self.low is None or (value >= self.low if self.low_included else value > self.low)
        return above and (self.high is None or (value <= self.high if self.high_included else value < self.high))


def _range(field: ListField, operator: str, raw: Any, where: str, now: datetime, zone: tzinfo) -> Predicate:
    if operator in RELATIVE:
        bounds = _relative_condition(operator, raw, where, now)
    elif operator == "between":
        low, high = _pair(field, raw, where, zone)
        bounds = _Range(low=_start(low), high=_end(high), high_included=not isinstance(high, Span))
    else:
        bound = read_value(field.type, raw, where, field.name, zone)
        bounds = _bound(operator, bound)
    return Predicate(bounds.condition, bounds.holds)


def _bound(operator: str, bound: Any) -> _Range:
    span = isinstance(bound, Span)
    if operator in ("greaterThan", "after"):
        # Nothing is after the calendar's latest time, and no timestamp could be compared with.
        if span and bound.end is None:
            return _Range(low=bound.start, high=bound.start, high_included=False)
        return _Range(low=_end(bound), low_included=span)
    if operator == "greaterThanOrEqual":
        return _Range(low=_start(bound))
    if operator in ("lessThan", "before"):
        return _Range(high=_start(bound), high_included=False)
    return _Range(high=_end(bound), high_included=not span)


def _start(value: Any) -> Any:
    return value.start if isinstance(value, Span) else value


def _end(value: Any) -> Any:
    return value.end if isinstance(value, Span) else value


def _pair(field: ListField, raw: Any, where: str, zone: tzinfo) -> tuple[Any, Any]:
    if not isinstance(raw, list | tuple) or len(raw) != 2:
        raise refuse(where, "between needs an array of two values, the lower one first")
    low, high = (read_value(field.type, item, where, field.name, zone) for item in raw)
    if _start(low) > _start(high):
        raise refuse(where, "between needs the lower value first")
    return low, high


def _relative_condition(operator: str, raw: Any, where: str, now: datetime) -> _Range:
    hint = f'{operator} needs {{"amount": 7, "unit": "days"}}; units: {", ".join(UNITS)}'
    if not isinstance(raw, dict) or set(raw) != {"amount", "unit"}:
        raise refuse(where, hint)
    amount, unit = raw["amount"], raw["unit"]
    if not isinstance(amount, int) or isinstance(amount, bool) or not 1 <= amount <= MAX_AMOUNT:
        raise refuse(where, f"{hint}; the amount is a whole number from 1 to {MAX_AMOUNT}")
    if unit not in UNITS:
        raise refuse(where, hint)
    try:
        other = shift(now, amount if operator == "withinNext" else -amount, unit)
    except (ValueError, OverflowError):
        raise refuse(where, f"{operator} {amount} {unit} leaves the calendar") from None
    return _Range(low=now, high=other) if operator == "withinNext" else _Range(low=other, high=now)


def shift(moment: datetime, amount: int, unit: str) -> datetime:
    """Shift a time by so many units. A day that the month lacks becomes its last day."""
    if unit not in ("months", "years"):
        return moment + timedelta(**{unit: amount})
    months = moment.year * 12 + moment.month - 1 + amount * (12 if unit == "years" else 1)
    year, month = divmod(months, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("out of the calendar")
    return moment.replace(year=year, month=month + 1, day=min(moment.day, calendar.monthrange(year, month + 1)[1]))
