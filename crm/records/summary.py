"""Numbers of records by a value that they have: how many, and the sum of an amount."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, QuerySet, Sum
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from core.api.output import Computed, Output
from core.errors import shorten
from core.lists.values import refuse
from core.types import JsonObject, Values

MAX_GROUPS = 200
SELECTING = ("searchBy", "searchValue", "filters", "advancedFilters", "ids", "nids")
"""The parameters of the list contract that a summary takes."""


class GroupOut(Output):
    """The records with a value."""

    value = Computed(serializers.CharField(allow_null=True, help_text="a text, or an id; null: those without one"))
    count = Computed(serializers.IntegerField())


class AmountGroupOut(GroupOut):
    """The records with a value, and their total."""

    sum = Computed(serializers.FloatField(help_text="of the records' value, in the company's currency"))
    weighted = Computed(serializers.FloatField(help_text="the sum weighted by the probability of their stages"))


@dataclass(frozen=True)
class Summary:
    """Groupings of a list's records: name in the API -> column, the default first."""

    groups: Mapping[str, str]
    amount: str = ""
    """The column that is summed up."""
    weight: str = ""
    """The path of the percentage by which the amount counts in a second sum."""

    @property
    def parameter(self) -> OpenApiParameter:
        text = f"what the records are grouped by; {next(iter(self.groups))} unless given"
        return OpenApiParameter("groupBy", str, enum=list(self.groups), description=text)

    @property
    def description(self) -> str:
        return (
            "Of the records that the list has with the same search, filters and ids; parameters of pages and sorts"
            f" change nothing. The largest groups first, at most {MAX_GROUPS}; `warning` tells when there are more."
        )

    def group_of(self, params: Values) -> str:
        """Return the name that the request groups by."""
        name = params.get("groupBy") or next(iter(self.groups))
        if name not in self.groups:
            raise refuse("groupBy", f"one of {', '.join(self.groups)}, not {shorten(name, 40)!r}")
        return str(name)

    def read(self, rows: QuerySet[Any], group: str) -> list[JsonObject]:
        """Return the groups of the rows with one statement: at most MAX_GROUPS, and one more if there are more."""
        column = self.groups[group]
        measured: JsonObject = {"group_count": Count("pk")}
        if self.amount:
            measured["group_sum"] = Sum(self.amount)
        if self.weight:
            measured["group_weighted"] = Sum(F(self.amount) * F(self.weight) / 100)
        # One group more than is shown tells that there are more, without a count of all groups.
        groups = rows.order_by().values(column).annotate(**measured).order_by("-group_count", column)
        return [
            {
                "value": row[column] or None,
                "count": row["group_count"],
                **({"sum": float(row["group_sum"] or 0)} if self.amount else {}),
                **({"weighted": float(row["group_weighted"] or 0)} if self.weight else {}),
            }
            for row in groups[: MAX_GROUPS + 1]
        ]
