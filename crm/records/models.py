from __future__ import annotations

import re
from typing import Any, ClassVar, Self

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField, NameField, ObjectIdField
from core.models import CompanyManager, CompanyModel, CompanyRow
from core.search import SearchColumn
from core.text.folding import SortText
from crm.records.pending import present_custom


class CustomValues(JSONField):
    """The custom values of a record (uniqueFieldID -> value), read with the pending ones (crm.records.pending).

    Raw statements read the column by `present_custom`, and call `write_pending` before they write it.
    """

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "core.fields.JSONField", args, options

    def select_format(self, compiler: Any, sql: str, params: Any) -> Any:
        """Return the expression that a SELECT reads instead of the column."""
        column = re.fullmatch(r'("?\w+"?)\."custom"', sql)
        return (present_custom(column[1]), params) if column else (sql, params)


class NamedModel(CompanyModel):
    """A company's own tag, category, team or segment: unique by name, ignoring case."""

    name = NameField(max_length=200)
    description = models.TextField(blank=True)
    color = models.CharField(max_length=20, blank=True)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        abstract = True


class LiveFields(CompanyManager["CustomField"]):
    """The fields of the active company, without deleted fields whose values a job is still removing."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(deleted_at=None)


class CustomField(CompanyModel):
    """A field of contacts, leads, organizations or products: the system fields (`is_system`) and the company's own."""

    class Panel(models.TextChoices):
        CONTACT = "contact"
        LEAD = "lead"
        ORGANIZATION = "organization"
        PRODUCT_SERVICE = "productService"

    class ValueType(models.TextChoices):
        STRING = "string"
        NUMBER = "number"
        BOOLEAN = "boolean"
        DATE = "date"
        MEMBER = "member"
        FILE = "file"
        ARRAY = "array"
        OBJECT = "object"
        ANY = "any"

    class FieldType(models.TextChoices):
        TEXT = "text"
        NUMBER = "number"
        TEXTAREA = "textarea"
        SELECT = "select"
        MULTI_SELECT = "multi-select"
        FILE = "file"
        CHECKBOX = "checkbox"
        DATE = "date"
        DATETIME = "datetime"
        RADIO = "radio"
        EMAIL = "email"
        PHONE = "phone"
        URL = "url"

    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    section = JSONField(null=True, blank=True)
    order = models.IntegerField(null=True, blank=True)
    hide = models.BooleanField(default=False)
    only_show_table = models.BooleanField(default=False)
    panel = models.CharField(max_length=16, choices=Panel, default=Panel.CONTACT)
    value_type = models.CharField(max_length=10, choices=ValueType, default=ValueType.STRING)
    field_type = models.CharField(max_length=16, choices=FieldType)
    required = models.BooleanField(default=False)
    placeholder = models.CharField(max_length=200, blank=True)
    helper = models.CharField(max_length=500, blank=True)
    default_value = JSONField(null=True, blank=True)
    options = JSONField(default=list, blank=True, help_text="Array of {label, description, value}.")
    unique_field_id = models.CharField(
        max_length=64, db_collation="C", editable=False, help_text="The key in formData; set once."
    )
    children = JSONField(default=list, blank=True)
    is_system = models.BooleanField(default=False, editable=False, help_text="Stored in a column of the record itself.")
    job = CompanyForeignKey(
        "crm.BulkJob",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        db_index=False,
        help_text="What converts its values, or removes them, while that is not done.",
    )
    stored_as = CompanyForeignKey(
        "self",
        on_delete=models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        db_index=False,
        help_text="The hidden field that its typed values belong to since its last conversion.",
    )
    pending = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Its job has converted its values, but not yet written all of them into their records.",
    )
    deleted_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="Nobody sees it any more, or, of a field that only stores typed values, ever has.",
    )
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    objects: ClassVar[LiveFields] = LiveFields()
    every: ClassVar[CompanyManager[Self]] = CompanyManager()
    """All fields, including deleted ones whose values are being removed.

    Change these by update(), since save() uses `objects`.
    """

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "panel", "unique_field_id"), name="customfield_key_unique"),
            models.UniqueConstraint(
                fields=("company", "panel", "name"), condition=Q(deleted_at=None), name="customfield_name_unique"
            ),
        ]
        indexes = [
            models.Index(fields=("job",), condition=Q(job__isnull=False), name="customfield_job"),
            models.Index(fields=("company",), condition=Q(pending=True), name="customfield_pending"),
        ]

    @property
    def values_id(self) -> str:
        """The field_id of its typed values."""
        return str(self.stored_as_id or self.pk)


class ConvertedValue(CompanyRow):
    """The value of a record for a field that is being converted, and is pending once the field is.

    `before` is the value that it was converted from, which shows whether the value has changed since. A null `after`
    is no value.
    """

    pk = models.CompositePrimaryKey("job_id", "record_id")
    job = CompanyForeignKey("crm.BulkJob", on_delete=models.CASCADE, related_name="converted_values", db_index=False)
    record_id = ObjectIdField()
    before = JSONField()
    after = JSONField(null=True)


class FieldValue(CompanyRow):
    """A typed value of a record's custom field, a copy of that in the record's `custom` for filters and sorts by index.

    A multi-select has a row per choice (`position`). `text` has at most 500 characters, so that it fits an index.
    Numbers and booleans (0, 1) are in `number`, dates in `time`. Each panel has its own table, with a foreign key to
    its records.
    """

    field = CompanyForeignKey(CustomField, on_delete=models.CASCADE, related_name="%(class)ss", db_index=False)
    position = models.PositiveSmallIntegerField(default=0)
    text = models.CharField(max_length=500, null=True)
    number = models.DecimalField(max_digits=30, decimal_places=10, null=True)
    time = models.DateTimeField(null=True)
    search = SearchColumn()

    class Meta(CompanyRow.Meta):
        abstract = True


def value_indexes(record: str, name: str) -> list[models.Index]:
    """Return the indexes of a table of values, by the records' reference.

    They include the columns that row-level security and the key of a value compare, so that filters and sorts read no
    row of the table. A page reads thousands of values, each in another block. One index filters texts, and another
    sorts them.
    """
    by_value = [
        models.Index(
            fields=("field", column, record),
            include=("company", "position"),
            condition=Q(**{f"{column}__isnull": False}),
            name=f"{name}_{column}",
        )
        for column in ("text", "number", "time")
    ]
    return [*by_value, sorted_texts(record, name)]


def sorted_texts(record: str, name: str) -> models.Index:
    """Return the index of the order of a table's texts."""
    return models.Index(
        "field",
        SortText("text"),
        record,
        include=("company", "position", "text"),
        condition=Q(text__isnull=False),
        name=f"{name}_text_sort",
    )
