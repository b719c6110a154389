"""A company's overview: recent numbers and open work. Each app registers its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from functools import partial, reduce
from operator import add
from typing import Any

from django.db.models import Count, F, Func, IntegerField, QuerySet, Subquery
from django.db.models.expressions import Combinable
from django.db.models.functions import TruncDate
from django.utils import timezone

from accounts.companies.models import Company
from core.tenancy import company_id
from core.text.timezones import zone_of
from core.types import JsonObject, Values


@dataclass(frozen=True)
class Measure:
    """A counted measure. `rows` returns the records of the active company.

    For one that is the member's `own`, which needs no permission, it takes the member's id.
    """

    name: str
    module: str
    """The permission module whose GET shows it."""
    rows: Callable[..., QuerySet[Any]]
    at: str = ""
    """The column whose time falls into the period. Without one, the present records are counted."""
    by_day: bool = False
    """The measure is counted for each day too."""
    beside: Sequence[Callable[[], QuerySet[Any]]] = ()
    """Records of other tables that are counted with them."""
    own: bool = False
    place: int = 0
    """Position of its number among those of other measures."""


MEASURES: dict[str, Measure] = {}
"""Name -> measure."""


def register_measure(measure: Measure) -> None:
    """Register a measure."""
    MEASURES[measure.name] = measure


def read_overview(*, days: int, may_read: Callable[[str], bool], member_id: str) -> JsonObject:
    """Count the measures over the last `days` days of the company's time zone, including today.

    `may_read` returns whether the caller may read a module; measures of other modules are None. It takes one statement
    for all counts, and one for each measure that is counted by day.
    """
    company = Company.objects.only("timezone").get(pk=company_id())
    zone = zone_of(company.timezone)
    today = timezone.now().astimezone(zone).date()
    first = today - timedelta(days=days - 1)
    since = datetime.combine(first, time.min, zone)
    measures = sorted(MEASURES.values(), key=lambda measure: measure.place)
    seen = [
        replace(measure, rows=partial(measure.rows, member_id)) if measure.own else measure
        for measure in measures
        if measure.own or may_read(measure.module)
    ]
    by_day = {measure.name: _by_day(measure, since) for measure in seen if measure.by_day}
    counts = _counts([measure for measure in seen if not measure.by_day], since)
    counts |= {name: sum(counts_by_day.values()) for name, counts_by_day in by_day.items()}
    names = [measure.name for measure in measures if measure.by_day]
    return {
        "since": since,
        "timezone": zone.key,
        "numbers": {measure.name: counts.get(measure.name) for measure in measures},
        "days": [_day(first + timedelta(days=number), names, by_day) for number in range(days)],
    }


def _counts(measures: Sequence[Measure], since: datetime) -> dict[str, int]:
    """Count the measures by one statement."""
    expressions = {
        measure.name: reduce(add, map(_count, [_rows(measure, since), *(rows().order_by() for rows in measure.beside)]))
        for measure in measures
    }
    if not expressions:
        return {}
    companies = Company.objects.filter(pk=company_id()).values(
        **{f"count_{name}": expression for name, expression in expressions.items()}
    )
    row: Values = companies.get()
    return {name: row[f"count_{name}"] for name in expressions}


def _count(rows: QuerySet[Any]) -> Combinable:
    row_count = Func(F("pk"), function="COUNT", output_field=IntegerField())
    return Subquery(rows.annotate(counted=row_count).values("counted"))


def _by_day(measure: Measure, since: datetime) -> dict[date, int]:
    rows = _rows(measure, since).annotate(on_day=TruncDate(measure.at, tzinfo=since.tzinfo))
    return dict(rows.values_list("on_day").annotate(counted=Count("pk")))


def _rows(measure: Measure, since: datetime) -> QuerySet[Any]:
    rows = measure.rows().order_by()
    return rows.filter(**{f"{measure.at}__gte": since}) if measure.at else rows


def _day(day: date, names: Sequence[str], counts: Mapping[str, Mapping[date, int]]) -> JsonObject:
    return {"day": day, "numbers": {name: counts[name].get(day, 0) if name in counts else None for name in names}}
