"""Bodies and answers of exports."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import Input, ObjectInput, TextInput
from core.api.output import PROGRESS, Computed, IdField, Output
from core.types import JsonObject, Values
from crm.exports.formats import FORMATS
from crm.exports.models import Export
from crm.files.serializers import FileSnapshot
from crm.files.services import open_link

COLUMNS = "names of the columns (custom fields also by uniqueFieldID or _id), in the order wanted; none: all"


class ExportCreate(Input):
    resource = TextInput(max_length=40, help_text="path of the list, such as contact or genie/send-jobs")
    query = ObjectInput(
        default=dict, help_text="the list's query parameters but for paging; filters may be objects or JSON texts"
    )
    columns = serializers.ListField(child=TextInput(max_length=300), default=list, max_length=1000, help_text=COLUMNS)
    format = serializers.ChoiceField(choices=list(FORMATS), default="csv")


class ExportUpdate(Input):
    stops = (Export.Status.CANCELLED.value,)

    status = serializers.ChoiceField(choices=[Export.Status.CANCELLED.value])


class ExportOut(Output):
    """An export."""

    moving = PROGRESS | {"file", "url"}

    _id = IdField()
    resource = serializers.CharField()
    format = serializers.CharField()
    query = Computed(serializers.DictField())
    columns = Computed(serializers.ListField(child=serializers.CharField()))  # type: ignore[assignment]
    status = serializers.ChoiceField(
        choices=[status for status in Export.Status.values if status != Export.Status.PAUSED]
    )
    total = serializers.IntegerField(allow_null=True, help_text="records; null until they are counted")
    processed = serializers.IntegerField()
    percent = Computed(serializers.FloatField(allow_null=True))
    error = serializers.CharField(help_text="why it failed")
    file = Computed(FileSnapshot(allow_null=True, help_text="null until it is complete"))
    url = Computed(
        serializers.URLField(allow_null=True, help_text="opens the file without login, as a file's url does")
    )
    createdBy = MemberSnapshot(source="created_by")
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = (
        "query",
        "columns",
        "file_id",
        *(f"file__{name}" for name in ("name", "size", "mime", "is_deleted", "trashed_at")),
    )
    conceals = ("url",)
    signs = conceals

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        there = bool(row["file_id"]) and not row["file__is_deleted"] and row["file__trashed_at"] is None
        file = {"_id": row["file_id"], **{name: row[f"file__{name}"] for name in ("name", "size", "mime")}}
        data["file"] = file if there else None
        data["url"] = open_link(file["_id"], file["name"]) if there else None
        data["query"] = row["query"]
        data["columns"] = row["columns"]
        data["percent"] = round(100 * data["processed"] / data["total"], 1) if data["total"] else None
        return data
