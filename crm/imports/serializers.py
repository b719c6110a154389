"""Answers about imports."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.output import PROGRESS, Computed, IdField, Output
from core.types import JsonObject, Values
from crm.bulk_jobs.serializers import BulkJobOut
from crm.contacts.kind import CONTACT
from crm.field_types import FIELD_TYPES, VALUE_TYPES
from crm.files.serializers import FileOut, FileSnapshot
from crm.imports.columns.column_fields import field_name
from crm.imports.filters import is_undone
from crm.imports.input_serializers import EnquiryInput
from crm.imports.models import Import
from crm.imports.readers.new_fields import proposed_fields
from crm.imports.rows.row_errors import message_with_holder
from crm.leads.kind import LEAD
from crm.records.automation import AUTOMATIONS, automation_of


class AmbiguousColumn(Output):
    """A column whose values could be read in two ways. Rows with such a value fail until the option is set."""

    column = serializers.CharField(help_text="header of the column")
    option = serializers.ChoiceField(choices=("decimalMark", "dateFormat"), help_text="the option that decides")
    examples = serializers.ListField(child=serializers.CharField(), help_text="some of its values")


class AssumedColumn(Output):
    """A column that could be read in two ways, and is read as the company writes, since an export may have made the
    file."""

    column = serializers.CharField(help_text="header of the column")
    option = serializers.ChoiceField(choices=("dateFormat",), help_text="the option that reads it otherwise")
    value = serializers.CharField(help_text="how it is read, such as DD/MM/YYYY")
    examples = serializers.ListField(child=serializers.CharField(), help_text="some of its values")


class DetectedOut(Output):
    """The detected format of the file. Null and empty until the file has been read, and where it does not apply."""

    headerRow = serializers.IntegerField(
        allow_null=True, help_text="row of the headers, as spreadsheets count; 0 where the file has none"
    )
    sheet = serializers.CharField(allow_null=True, help_text="the sheet that is read; null for text files")
    sheets = serializers.ListField(child=serializers.CharField(), help_text="the workbook's sheets, in order")
    encoding = serializers.CharField(allow_null=True, help_text="null for workbooks")
    decimalMark = serializers.CharField(allow_null=True, help_text="null where no column tells it")
    dateFormat = serializers.CharField(allow_null=True, help_text="null where no column tells it")
    country = serializers.CharField(allow_null=True, help_text="whose national phone numbers are read")
    timeZone = serializers.CharField(allow_null=True, help_text="the zone of times without an offset")
    ambiguous = serializers.ListField(child=AmbiguousColumn(), help_text="columns that need an option")
    assumed = serializers.ListField(child=AssumedColumn(), help_text="columns that are read as the company writes")


DETECTED: JsonObject = {
    "headerRow": None,
    "sheet": None,
    "sheets": [],
    "encoding": None,
    "decimalMark": None,
    "dateFormat": None,
    "country": None,
    "timeZone": None,
    "ambiguous": [],
    "assumed": [],
}
"""The names of `detected`, and their values before the file has been read."""


class ProposedField(Output):
    """The custom field that would hold the values of a column."""

    column = serializers.CharField(help_text="header of the column")
    name = serializers.CharField()
    fieldType = serializers.ChoiceField(choices=list(FIELD_TYPES))
    valueType = serializers.ChoiceField(choices=list(VALUE_TYPES))
    options = serializers.ListField(child=serializers.CharField(), help_text="the values of a column of few")
    values = serializers.IntegerField(help_text="rows that have a value there")
    preselected = serializers.BooleanField(
        help_text="whether a person would keep the column: it has values, goes to no field, and is neither an id or"
        " date that a program writes nor about somebody else"
    )


class FirstRow(Output):
    """A row at the file's start, before headers are distinguished from data."""

    row = serializers.IntegerField(help_text="as spreadsheets count")
    cells = serializers.ListField(child=serializers.CharField(allow_null=True))


class ImportOut(Output):
    """An import and how far it is."""

    moving = PROGRESS | {"updated", "skipped", "rowErrors"}

    _id = IdField()
    importType = serializers.ChoiceField(choices=Import.Type.values)
    file = FileSnapshot()
    status = serializers.ChoiceField(choices=Import.Status.values)
    total = serializers.IntegerField(
        allow_null=True, help_text="rows to import; null until they are counted, at most so many in a range"
    )
    processed = serializers.IntegerField()
    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    skipped = serializers.IntegerField(help_text="rows whose record existed; they are listed among the row errors")
    failed = serializers.IntegerField()
    percent = Computed(serializers.FloatField())
    rate = Computed(serializers.FloatField(allow_null=True, help_text="rows a second, of late"))
    eta = Computed(serializers.IntegerField(allow_null=True, help_text="seconds to go, while it runs"))
    error = serializers.CharField(help_text="why the whole import failed; empty otherwise")
    headers = serializers.ListField(child=serializers.CharField())
    detected = Computed(DetectedOut(help_text="how the file is read, by its content or by the options"))
    columnMapping = serializers.DictField(
        child=serializers.CharField(),
        help_text="{column header: field key}, proposed or given; + is a custom field of the column's name, which is"
        " made when the import starts, of the type that its values have, and +text (or another type) one of that type",
    )
    options = serializers.DictField()
    tags = serializers.ListField(child=IdField())
    category = IdField(source="category_id", allow_null=True)
    userEnquiry = Computed(EnquiryInput(allow_null=True))
    automation = Computed(serializers.ChoiceField(choices=AUTOMATIONS))
    isUndone = Computed(serializers.BooleanField(help_text="what it wrote has been taken back (GET /:id/undo)"))
    startedAt = serializers.DateTimeField(allow_null=True)
    finishedAt = serializers.DateTimeField(allow_null=True)
    createdBy = MemberSnapshot(source="created_by")
    updatedBy = MemberSnapshot(source="updated_by")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads: ClassVar[tuple[str, ...]] = (
        "rate",
        "detected",
        "automation",
        "automation_queued",
        "user_enquiry",
        "user_enquiry_text",
    )

    @classmethod
    def columns(cls) -> JsonObject:
        return {**super().columns(), "isUndone": is_undone()}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        total = data["total"]
        done = data["processed"]
        rate = row["rate"]
        share = min(done / total, 1.0) if total else 0.0
        if data["status"] == Import.Status.COMPLETED:
            share = 1.0
        data["percent"] = round(share * 100, 1)
        data["rate"] = None if rate is None else round(rate, 1)
        data["eta"] = (
            round((total - done) / rate) if rate and total and data["status"] == Import.Status.RUNNING else None
        )
        data["automation"] = automation_of(row["automation"], row["automation_queued"], total)
        data["userEnquiry"] = row["user_enquiry_text"] or row["user_enquiry"]
        data["detected"] = {name: row["detected"].get(name, default) for name, default in DETECTED.items()}
        return data


class RowErrorOut(Output):
    """The problem or note of a row."""

    _id = IdField()
    row = serializers.IntegerField(help_text="as spreadsheets count: the header is normally row 1")
    column = serializers.CharField(help_text="header of the column; empty when the whole row is meant")
    code = serializers.CharField()
    message = serializers.CharField()
    skipped = serializers.BooleanField(help_text="the row was skipped since its record exists")
    failed = serializers.BooleanField(help_text="the row was not written; POST /:id/mend writes it")
    existingId = Computed(IdField(allow_null=True, help_text="the record that exists; null once it is deleted"))
    values = serializers.ListField(help_text="the row's cells, with the first error of the row")

    reads: ClassVar[tuple[str, ...]] = ("holder",)
    """Added by crm.imports.rows.row_errors.with_holders."""

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["message"] = message_with_holder(data["message"], row["holder"])
        return data

    @classmethod
    def columns(cls) -> JsonObject:
        live = [Subquery(kind.live().filter(pk=OuterRef("existing_id")).values("pk")) for kind in (CONTACT, LEAD)]
        return {**super().columns(), "existingId": Coalesce(*live)}


class ImportDetail(ImportOut):
    """An import with its first rows, and the first 100 rows that failed, lost values or were skipped."""

    sample = serializers.ListField(child=serializers.ListField())
    firstRows = serializers.ListField(
        source="first_rows", child=FirstRow(), help_text="the file's first rows, from which headerRow can be chosen"
    )
    proposedFields = Computed(
        serializers.ListField(
            child=ProposedField(), help_text="for each column the custom field that POST /:id/fields makes"
        )
    )
    isProposed = Computed(
        serializers.BooleanField(help_text="columnMapping is what the service proposes: nobody has given one yet")
    )
    rowErrors = Computed(serializers.ListField(child=RowErrorOut()))

    reads: ClassVar[tuple[str, ...]] = (*ImportOut.reads, "columns", "column_mapping")

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data = super().finish(data, row)
        proposed = proposed_fields(data["headers"], row["columns"], data["columnMapping"])
        data["proposedFields"] = [{**field, "name": field_name(field["name"])} for field in proposed]
        data["isProposed"] = bool(row["detected"].get("isProposed"))
        return data


class CheckedRow(Output):
    """A problem or note about a row before it is imported."""

    row = serializers.IntegerField(help_text="as spreadsheets count: the header is normally row 1")
    column = serializers.CharField(help_text="header of the column; empty when the whole row is meant")
    code = serializers.CharField()
    message = serializers.CharField()
    skipped = serializers.BooleanField(help_text="the row would be skipped since its record exists")
    failed = serializers.BooleanField(help_text="the row would not be written")
    existingId = IdField(allow_null=True, help_text="the record that exists; null for an earlier row of the file")
    values = serializers.ListField(help_text="the row's cells, with the first error of the row")


class UnknownValue(Output):
    """A value of the file that the company does not know: no option, category, product, team or member."""

    column = serializers.CharField(help_text="header of the column")
    value = serializers.CharField()
    rows = serializers.IntegerField(help_text="rows that have it")


class ImportChecked(Output):
    """The expected results of the first rows of an import."""

    rows = Computed(serializers.IntegerField(help_text="rows that were looked at"))
    created = Computed(serializers.IntegerField())
    updated = Computed(serializers.IntegerField())
    skipped = Computed(serializers.IntegerField(help_text="rows whose record exists"))
    failed = Computed(serializers.IntegerField())
    noRecords = Computed(
        serializers.IntegerField(help_text="those among failed that are no records: titles, totals, footers")
    )
    unknownValues = Computed(
        serializers.ListField(child=UnknownValue(), help_text="the most frequent ones, each once; at most 20")
    )
    rowErrors = Computed(serializers.ListField(child=CheckedRow()))


class ImportMended(Output):
    """The results of the rows."""

    rows = Computed(serializers.IntegerField(help_text="rows that were tried again"))
    created = Computed(serializers.IntegerField())
    updated = Computed(serializers.IntegerField())
    skipped = Computed(serializers.IntegerField(help_text="rows whose record exists"))
    failed = Computed(serializers.IntegerField(help_text="rows that are still wrong"))
    left = Computed(
        serializers.ListField(
            child=serializers.IntegerField(), help_text="rows of the request that have nothing to mend (any more)"
        )
    )
    rowErrors = Computed(serializers.ListField(child=RowErrorOut(), help_text="of these rows, as they are now"))


class EmptyField(Output):
    """A custom field without values."""

    _id = IdField()
    name = serializers.CharField()


class ImportUndoing(Output):
    """The latest bulk job that undoes an import, if there is one, and the remaining records."""

    job = Computed(BulkJobOut(allow_null=True))
    createdLeft = Computed(serializers.IntegerField(help_text="records that it created and that are still there"))
    emptyFields = Computed(
        serializers.ListField(
            child=EmptyField(),
            help_text="once it is undone, the custom fields that were made for its columns and that only deleted"
            " records have values of; DELETE /custom-field removes them",
        )
    )


FileWithImport = type(
    "FileWithImport",
    (FileOut,),
    {
        "__doc__": "A file and the import that was made of it.",
        "__module__": __name__,
        "import": Computed(ImportDetail()),
    },
)
