"""Bodies of requests about imports."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from core.api.input import BooleanInput, IdList, Input, IntegerInput, ObjectIdInput, TextInput
from core.types import JsonObject
from crm.field_types import FIELD_TYPES
from crm.imports.models import MAX_ENQUIRY, Import
from crm.records.serializers import AutomationField

EXISTING = ("skip", "update", "error")
DECIMAL_MARKS = (".", ",")
MAX_ROW = 2**31 - 1
MAX_VALUE = 5000
MAX_MENDED = 200


class MappingInput(serializers.DictField):
    """{column header: field key}; a column whose key is empty or null is left out."""

    child = TextInput(allow_blank=True, allow_null=True, max_length=200)

    def to_internal_value(self, data: Any) -> dict[str, str]:
        if not isinstance(data, dict):
            raise serializers.ValidationError("must be an object of column headers and field keys", code="not_a_dict")
        if len(data) > 500:
            raise serializers.ValidationError("has more than 500 columns", code="max_length")
        return {header: key for header, key in super().to_internal_value(data).items() if key}


@extend_schema_field({"type": ["boolean", "string"], "maxLength": MAX_ENQUIRY})
class EnquiryInput(TextInput):
    """true or false, or the enquiry's text. An empty text means no enquiry."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_blank=True, max_length=MAX_ENQUIRY, help_text="boolean or text", **options)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        return data if isinstance(data, bool) else super().run_validation(data) or None


class CountryInput(TextInput):
    """A country's ISO 3166 code, in upper case."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        return text.upper() if text.isascii() else text  # upper() makes other letters such as ß two


class OptionsInput(Input):
    """Options for reading the file and treating its rows; null resets an option to its default."""

    rowFrom = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=MAX_ROW, help_text="first row, as spreadsheets count"
    )
    rowTo = IntegerInput(
        required=False, allow_null=True, min_value=1, max_value=MAX_ROW, help_text="last row, as spreadsheets count"
    )
    existing = serializers.ChoiceField(
        choices=EXISTING,
        required=False,
        allow_null=True,
        help_text="a row whose record exists is skipped (default), updates it, or fails; of an open lead the setting"
        " duplicateLeads decides by default",
    )
    skipInvalid = BooleanInput(
        required=False,
        allow_null=True,
        help_text="leave invalid values out instead of failing their rows; they are listed either way",
    )
    delimiter = TextInput(
        required=False, allow_null=True, max_length=10, trim_whitespace=False, help_text="found out when not given"
    )
    encoding = TextInput(required=False, allow_null=True, max_length=40, help_text="found out when not given")
    sheet = TextInput(
        required=False, allow_null=True, max_length=200, help_text="the first one with a table when not given"
    )
    headerRow = IntegerInput(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=MAX_ROW,
        help_text="row of the headers, as spreadsheets count; 0: the file has none, so that its columns are called"
        " Column A, Column B and so on; detected when not given",
    )
    country = CountryInput(
        required=False,
        allow_null=True,
        max_length=2,
        help_text="ISO 3166 code of the country of national phone numbers, such as DE; default: the company's",
    )
    decimalMark = serializers.ChoiceField(
        choices=DECIMAL_MARKS, required=False, allow_null=True, help_text="detected by column when not given"
    )
    dateFormat = TextInput(
        required=False,
        allow_null=True,
        max_length=40,
        help_text="such as DD.MM.YYYY or MM/DD/YYYY; detected by column when not given",
    )
    timeZone = TextInput(
        required=False,
        allow_null=True,
        max_length=60,
        help_text="IANA name of the zone of times without an offset, such as Europe/Berlin; default: the company's",
    )


class ImportCreate(Input):
    """An import of an uploaded file of contacts."""

    importType = serializers.ChoiceField(choices=[Import.Type.CONTACT.value])
    fileId = ObjectIdInput(required=False, help_text="_id of an uploaded File; required unless file is given")
    file = ObjectIdInput(required=False, help_text="alias for fileId")
    headers = serializers.ListField(
        child=TextInput(allow_blank=True, max_length=1000),
        required=False,
        max_length=500,
        help_text="taken, and read from the file anyway",
    )
    totalCount = IntegerInput(
        required=False, allow_null=True, min_value=0, help_text="taken, and counted in the file anyway"
    )
    columnMapping = MappingInput(default=dict, help_text="proposed from headers and values when empty")
    options = OptionsInput(default=dict)
    tags = IdList(default=list, help_text="_id of each tag that every record gets")
    category = ObjectIdInput(default=None, allow_null=True, help_text="_id of the contacts' category")
    pauseImport = BooleanInput(default=True, help_text="wait for PUT to start it")
    userEnquiry = EnquiryInput(default=None, allow_null=True)
    automation = AutomationField()

    def to_internal_value(self, data: Any) -> JsonObject:
        """Add the error of a missing file to those of the other fields."""
        if not isinstance(data, dict) or {"fileId", "file"} & data.keys() or data.keys() - self.fields.keys():
            return super().to_internal_value(data)
        lacking = {"fileId": [serializers.ErrorDetail("This field is required.", code="required")]}
        try:
            super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **lacking}) from None  # type: ignore[dict-item]
        raise serializers.ValidationError(lacking)

    def validate(self, attrs: JsonObject) -> JsonObject:
        named = {attrs.pop(name) for name in ("file_id", "file") if name in attrs}
        if len(named) > 1:
            raise serializers.ValidationError(
                {"file": serializers.ErrorDetail("names another file than fileId", code="conflict")}
            )
        return {**attrs, "file_id": named.pop()}


class LeadImportCreate(ImportCreate):
    """An import of an uploaded file of leads."""

    importType = serializers.ChoiceField(choices=[Import.Type.LEAD.value])


class OrganizationImportCreate(ImportCreate):
    """An import of an uploaded file of organizations."""

    importType = serializers.ChoiceField(choices=[Import.Type.ORGANIZATION.value])


class ImportUpdate(Input):
    """Changes and the action; a paused import starts unless pauseImport is true."""

    orders = {"status": "paused"}
    stops = ("paused", "cancelled")

    columnMapping = MappingInput(required=False)
    options = OptionsInput(required=False)
    tags = IdList(required=False)
    category = ObjectIdInput(required=False, allow_null=True)
    userEnquiry = EnquiryInput(required=False, allow_null=True)
    pauseImport = BooleanInput(
        required=False, help_text="true: leave the import paused, or pause it; false, or left out: start or resume it"
    )
    status = TextInput(
        required=False,
        help_text="running starts or resumes, paused pauses, cancelled ends it for good; comes before pauseImport",
    )


class ColumnFieldInput(Input):
    """A column that needs a custom field."""

    column = TextInput(max_length=1000, help_text="its header")
    name = TextInput(max_length=200, required=False, help_text="by default the header")
    fieldType = serializers.ChoiceField(
        choices=list(FIELD_TYPES), required=False, help_text="by default the type that its values have"
    )


class ColumnFieldsInput(Input):
    """Columns that need custom fields."""

    columns = serializers.ListField(child=ColumnFieldInput(), min_length=1, max_length=500)


class MendedRow(Input):
    """Corrected values of a row."""

    row = IntegerInput(min_value=1, help_text="its number, as in the row errors")
    values = serializers.DictField(
        child=TextInput(allow_blank=True, allow_null=True, max_length=MAX_VALUE),
        default=dict,
        help_text="{column header: text}, for the cells that change; empty or null empties one",
    )


class ImportMend(Input):
    """Rows to try again, with the values that change."""

    rows = serializers.ListField(
        child=MendedRow(), min_length=1, max_length=MAX_MENDED, help_text="rows that failed or were skipped"
    )
