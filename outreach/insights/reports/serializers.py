"""Bodies and answers of reports and dashboards."""

from __future__ import annotations

from typing import get_args

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, LineInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.reports import REPORTS, TOP
from core.reports.declarations import Type
from core.reports.periods import RANGES
from core.types import JsonObject, Values
from outreach.insights.reports.tiles import CHARTS, MAX_TILES

BY = "what the rows are grouped by; the report's first one unless given"
METRIC = "key of the column that a number or a chart shows; the first one unless given"
CUSTOM = "of the range custom"


class ColumnOut(Output):
    """A number of a report."""

    key = serializers.CharField(help_text="its name in rows and totals")
    title = serializers.CharField()
    type = serializers.ChoiceField(
        choices=get_args(Type),
        help_text="money is in the company's currency, percent of 100; percent and days are null where there is nothing"
        " to divide by, and a count where nothing reports it, such as deliveries by SMTP",
    )
    filter = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="a condition of advancedFilters: together with a row's link it finds what the number counts; {}:"
            " the link alone does; null: no filter can say it",
        )
    )

    listed = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="`place` of the list that has what the number counts among `lists`, and the condition (`filter`)"
            " that it takes as well; null: no list has it",
        )
    )
    isDated = Computed(serializers.BooleanField(help_text="false: it counts the records as they are now"))


class GroupingOut(Output):
    """A grouping of a report."""

    key = serializers.CharField(help_text="`by`")
    title = serializers.CharField()
    columns = Computed(ColumnOut(many=True))  # type: ignore[assignment]


class ReportTypeOut(Output):
    """A type of report."""

    reportType = Computed(serializers.ChoiceField(choices=list(REPORTS)))
    title = serializers.CharField()
    about = serializers.CharField(help_text="what it counts")
    by = Computed(GroupingOut(many=True))


class ReportTypesOut(Output):
    """The reports that the caller may read."""

    reports = Computed(ReportTypeOut(many=True))


class ReportOut(Output):
    """A report."""

    reportType = Computed(serializers.ChoiceField(choices=list(REPORTS)))
    title = serializers.CharField()
    dated = Computed(serializers.CharField(help_text='by which day its rows count, such as "by the day they went out"'))
    by = serializers.CharField()
    byTitle = Computed(serializers.CharField())
    startDate = Computed(serializers.DateField())
    endDate = Computed(serializers.DateField())
    timeZone = Computed(serializers.CharField(help_text="the company's, whose days these are"))
    currency = Computed(serializers.CharField(help_text="of amounts of money"))
    columns = Computed(ColumnOut(many=True))  # type: ignore[assignment]
    rows = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            help_text="`key` (null: the records without a value), `label`, `link` (the list of exactly the records that"
            " the row counts, below the API's address; null: there is none), `lists` (those of all numbers, see"
            " `listed` of columns), `isOther`, and each column's number under"
            f" its key. Each day has a row; of other groups the {TOP} largest have one, and a last row with isOther has"
            " the sum of all others.",
        )
    )
    totals = Computed(serializers.DictField(help_text="each column's number, of all records"))
    lists = Computed(
        serializers.ListField(
            child=serializers.CharField(allow_null=True), help_text="the lists of the records that the totals count"
        )
    )
    before = Computed(
        serializers.DictField(
            allow_null=True,
            help_text="with compare=true: `startDate`, `endDate` and `totals` of as many days before, of a month or"
            " quarter by name of the one before, up to the same day; a number that does not depend on days is null",
        )
    )


class TileInput(Input):
    title = LineInput(max_length=100, required=False, allow_blank=True, help_text="the report's unless given")
    reportType = serializers.ChoiceField(choices=list(REPORTS))
    by = TextInput(max_length=40, required=False, help_text=BY)
    chart = serializers.ChoiceField(choices=CHARTS, default="table", help_text="line takes the grouping by day")
    metric = TextInput(max_length=40, required=False, help_text=METRIC)
    range = serializers.ChoiceField(choices=RANGES, default="last30")
    startDate = serializers.DateField(required=False, allow_null=True, help_text=CUSTOM)
    endDate = serializers.DateField(required=False, allow_null=True, help_text=CUSTOM)


class DashboardUpdate(Input):
    name = LineInput(
        max_length=100, required=False, help_text="unique in the company, whatever the case of its letters"
    )
    description = LineInput(max_length=500, required=False, allow_blank=True)
    shared = BooleanInput(
        required=False, help_text="true: all who may read reports see it; false (default): it is one's own"
    )
    tiles = serializers.ListField(child=TileInput(), required=False, max_length=MAX_TILES)


class DashboardCreate(DashboardUpdate):
    name = LineInput(max_length=100, help_text="unique in the company, whatever the case of its letters")


class DashboardDelete(SelectionInput):
    """Dashboards to delete."""


class TileOut(Output):
    """A tile of a dashboard."""

    title = serializers.CharField()
    reportType = Computed(serializers.CharField())
    by = serializers.CharField()
    chart = serializers.ChoiceField(choices=CHARTS)
    metric = serializers.CharField()
    range = serializers.ChoiceField(choices=RANGES)
    startDate = Computed(serializers.DateField(allow_null=True))
    endDate = Computed(serializers.DateField(allow_null=True))


class TileDataOut(TileOut):
    """A tile with its numbers."""

    data = ReportOut()  # type: ignore[assignment]
    problem = Computed(serializers.CharField(allow_null=True, help_text="why there are no numbers"))


class DashboardOut(Output):
    """A dashboard with reports."""

    reads = ("tiles",)

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    shared = serializers.BooleanField()
    tiles = Computed(TileOut(many=True))
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        return {**data, "tiles": row["tiles"]}


class DashboardDataOut(Output):
    """A dashboard with the numbers of its tiles."""

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    shared = serializers.BooleanField()
    tiles = Computed(TileDataOut(many=True))
