"""Bodies and answers of segments."""

from __future__ import annotations

from django.db.models import Q
from rest_framework import serializers

from core.api.filter_tree import FilterTreeField, FilterTreeInput
from core.api.input import IdList, ObjectInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.errors import ApiError
from core.lists import FieldSet
from core.types import JsonObject
from crm.segments.models import Segment, SegmentRecord
from crm.segments.services import IdChanges, compile_segment, fields_of
from crm.tags.serializers import UNIQUE, NamedModelCreate, NamedModelOut, count_references

FILTERS = "as the list's parameter of this name, but an object instead of its text"
OF_STATIC = "of a static segment"


class SegmentBody(NamedModelCreate):
    panel = serializers.ChoiceField(
        choices=Segment.Panel.values, required=False, help_text="contact (default) or lead; set once"
    )
    kind = serializers.ChoiceField(
        choices=Segment.Kind.values,
        required=False,
        help_text="dynamic (default): whatever meets the filters when it is asked for; static: a list of ids. Set once",
    )
    filters = ObjectInput(required=False, help_text=f"fields and values, {FILTERS}")
    advancedFilters = FilterTreeInput(required=False, help_text=f"a tree of conditions, {FILTERS}")
    ids = IdList(required=False, help_text=f"_id of each record {OF_STATIC}")


class SegmentCreate(SegmentBody):
    """A dynamic segment needs filters, advancedFilters or both, which then must both hold."""


class SegmentUpdate(SegmentBody):
    name = TextInput(max_length=200, required=False, help_text=UNIQUE)
    addIds = IdList(required=False, help_text=f"records to add, {OF_STATIC}")
    removeIds = IdList(required=False, help_text=f"records to take out, {OF_STATIC}")


class SegmentDelete(SelectionInput):
    """Segments to delete."""


def selection_of(data: JsonObject) -> JsonObject:
    """Pop the selection of records from a body, as arguments of the services."""
    return {
        "filters": data.pop("filters", None),
        "advanced": data.pop("advanced_filters", None),
        "ids": IdChanges(data.pop("ids", None), data.pop("add_ids", ()), data.pop("remove_ids", ())),
    }


class SegmentOut(NamedModelOut):
    """A stored selection of contacts or leads."""

    moving = frozenset({"count", "problem", "lastCount", "countedAt"})
    panel = serializers.ChoiceField(choices=Segment.Panel.values)
    kind = serializers.ChoiceField(choices=Segment.Kind.values)
    advancedFilters = FilterTreeField(source="filters", help_text="the tree of a dynamic segment; {} of a static one")
    count = Computed(
        serializers.IntegerField(
            allow_null=True, help_text="live records of a static segment; null: ask /segment/execute"
        )
    )
    lastCount = serializers.IntegerField(
        allow_null=True, help_text="records of a dynamic segment at countedAt; null: not counted"
    )
    countedAt = serializers.DateTimeField(allow_null=True, help_text="within about an hour; at once for other filters")
    problem = Computed(
        serializers.CharField(
            allow_null=True, help_text="why the segment cannot be executed, such as a field that has been deleted"
        )
    )

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        static = [row for row in rows if row["kind"] == Segment.Kind.STATIC]
        live = Q(contact__is_deleted=False) | Q(lead__is_deleted=False)
        counts = count_references(SegmentRecord, "segment", static, live) if static else {}
        fields: dict[str, FieldSet] = {}  # by panel, so that a company's fields are read once for all segments
        for row in rows:
            dynamic = row["kind"] == Segment.Kind.DYNAMIC
            row["count"] = None if dynamic else counts.get(row["_id"], 0)
            row["problem"] = _problem(row, fields) if dynamic else None
        return rows


def _problem(row: JsonObject, field_sets: dict[str, FieldSet]) -> str | None:
    panel = row["panel"]
    if panel not in field_sets:
        field_sets[panel] = fields_of(panel)
    try:
        compile_segment(Segment(name=row["name"], panel=panel, filters=row["advancedFilters"]), field_sets[panel])
    except ApiError as error:
        return error.detail
    return None


class SegmentExecuted(Output):
    """The records that a segment, or filters, select."""

    segment = IdField(allow_null=True)
    panel = serializers.ChoiceField(choices=Segment.Panel.values)
    count = Computed(serializers.IntegerField())
    records = Computed(
        serializers.ListField(
            child=serializers.DictField(),
            allow_null=True,
            help_text="the page of contacts or leads as their lists show them; null without p and n, or n in cursor"
            " mode",
        )
    )
