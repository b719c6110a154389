"""Bodies and answers of saved views."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, Input, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.lists import FieldSet
from core.types import JsonObject, Values
from crm.saved_views.lists import VIEWED
from crm.saved_views.models import SavedView
from crm.saved_views.services import column_problem, query_problem

RESOURCE = "path of the list: contact or lead; set once"
QUERY = (
    "the list's query parameters but for paging: searchValue, searchBy, filters, advancedFilters, sortBy, sortOrder;"
    " filters may be objects or JSON texts"
)
LAYOUT = "table (default), or board where the list has one (lead)"
SHARED = "true: everybody who may read the list sees it; false (default): it is one's own"


class SavedViewBody(Input):
    query = ObjectInput(required=False, help_text=QUERY)
    columns = serializers.ListField(
        child=TextInput(max_length=100),
        required=False,
        max_length=100,
        help_text="names of the columns that are shown, in their order: fields of the list, or keys of custom fields;"
        " none: the usual ones",
    )
    layout = serializers.ChoiceField(choices=SavedView.Layout.values, required=False, help_text=LAYOUT)
    shared = BooleanInput(required=False, help_text=SHARED)


class SavedViewCreate(SavedViewBody):
    name = TextInput(max_length=100, help_text="unique among one's own views of the list")
    resource = TextInput(max_length=40, help_text=RESOURCE)


class SavedViewUpdate(SavedViewBody):
    name = TextInput(max_length=100, required=False)
    resource = TextInput(max_length=40, required=False, help_text=RESOURCE)


class SavedViewDelete(SelectionInput):
    """Views to delete."""


class SavedViewOut(Output):
    """A view of a list."""

    moving = frozenset({"problem", "problemFields"})

    _id = IdField()
    resource = serializers.CharField()
    name = serializers.CharField()
    query = Computed(
        serializers.DictField(help_text="the list's query parameters; all filters are in advancedFilters, a tree")
    )
    columns = Computed(serializers.ListField(child=serializers.CharField()))  # type: ignore[assignment]
    layout = serializers.ChoiceField(choices=SavedView.Layout.values)
    shared = serializers.BooleanField()
    problem = Computed(
        serializers.CharField(
            allow_null=True,
            help_text="why the list refuses the query, or which column is gone, such as a field that has been deleted",
        )
    )
    problemFields = Computed(
        serializers.ListField(
            child=serializers.CharField(),
            help_text="the parameters of the query that `problem` is about, or columns; none without a problem",
        )
    )
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = ("query", "columns")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["query"] = row["query"]
        data["columns"] = row["columns"]
        return data

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        fields: dict[str, FieldSet] = {}
        own: dict[str, Callable[[], Collection[str]]] = {}
        for row in rows:
            listed = VIEWED[row["resource"]]
            if row["resource"] not in fields:
                fields[row["resource"]] = listed.fields_at_once()
                # Asked for once, and only where a view has columns of the company's own.
                own[row["resource"]] = cache(listed.own_columns)
            unknown = listed.unknown_column(row["columns"], own[row["resource"]])
            problem = query_problem(row["query"], fields[row["resource"]]) or column_problem(unknown)
            row["problem"] = None if problem is None else problem.detail
            row["problemFields"] = [] if problem is None else list(problem.fields)
        return rows
