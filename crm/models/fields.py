from __future__ import annotations

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from core.db.search import SearchColumn
from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyManager, CompanyModel, CompanyRow


class LiveFields(CompanyManager):
    """The fields of the active company but for those that are deleted and whose values a job is still removing."""

    def get_queryset(self) -> models.QuerySet[Any]:
        return super().get_queryset().filter(deleted_at=None)


class CustomField(CompanyModel):
    """A field of contacts, leads or products: the seeded system fields (`is_system`) and the company's own."""

    class Panel(models.TextChoices):
        CONTACT = "contact"
        LEAD = "lead"
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
    unique_field_id = models.CharField(max_length=64, db_collation="C", editable=False, help_text="The key in formData; set once.")
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
    deleted_at = models.DateTimeField(null=True, editable=False, help_text="Nobody sees it any more; it goes when its values have gone.")
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    objects: ClassVar[LiveFields] = LiveFields()
    every: ClassVar[CompanyManager] = CompanyManager()
    """Those that are deleted too, while their values are being removed; as `objects` is also what instances are saved by, change them by
    update() of this one."""

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "panel", "unique_field_id"), name="customfield_key_unique"),
            models.UniqueConstraint(fields=("company", "panel", "name"), condition=Q(deleted_at=None), name="customfield_name_unique"),
        ]
        indexes = [models.Index(fields=("job",), condition=Q(job__isnull=False), name="customfield_job")]


class FieldValue(CompanyRow):
    """One typed value of a record's custom field, kept beside the record's `custom` for filters and sorts by index.

    A multi-select has a row per choice (`position`). `text` holds at most 500 characters, so that it fits an index; numbers and booleans
    (0, 1) are `number`, dates are `time`. Each panel has a table of its own, whose `record` is the foreign key to the records.
    """

    field = CompanyForeignKey(CustomField, on_delete=models.CASCADE, related_name="%(class)ss", db_index=False)
    position = models.PositiveSmallIntegerField(default=0)
    text = models.CharField(max_length=500, null=True)
    number = models.DecimalField(max_digits=30, decimal_places=10, null=True)
    time = models.DateTimeField(null=True)
    search = SearchColumn()

    class Meta(CompanyRow.Meta):
        abstract = True


class CustomFieldValue(FieldValue):
    """The values of contacts."""

    pk = models.CompositePrimaryKey("contact_id", "field_id", "position")
    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, related_name="values", db_index=False)

    class Meta(FieldValue.Meta):
        indexes = [
            models.Index(fields=("field", "text", "contact"), condition=Q(text__isnull=False), name="fieldvalue_text"),
            models.Index(fields=("field", "number", "contact"), condition=Q(number__isnull=False), name="fieldvalue_number"),
            models.Index(fields=("field", "time", "contact"), condition=Q(time__isnull=False), name="fieldvalue_time"),
        ]


class LeadValue(FieldValue):
    """The values of leads."""

    pk = models.CompositePrimaryKey("lead_id", "field_id", "position")
    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, related_name="values", db_index=False)

    class Meta(FieldValue.Meta):
        indexes = [
            models.Index(fields=("field", "text", "lead"), condition=Q(text__isnull=False), name="leadvalue_text"),
            models.Index(fields=("field", "number", "lead"), condition=Q(number__isnull=False), name="leadvalue_number"),
            models.Index(fields=("field", "time", "lead"), condition=Q(time__isnull=False), name="leadvalue_time"),
        ]


class ProductServiceValue(FieldValue):
    """The values of products and services."""

    pk = models.CompositePrimaryKey("product_service_id", "field_id", "position")
    product_service = CompanyForeignKey("crm.ProductService", on_delete=models.CASCADE, related_name="values", db_index=False)

    class Meta(FieldValue.Meta):
        indexes = [
            models.Index(fields=("field", "text", "product_service"), condition=Q(text__isnull=False), name="productvalue_text"),
            models.Index(fields=("field", "number", "product_service"), condition=Q(number__isnull=False), name="productvalue_number"),
            models.Index(fields=("field", "time", "product_service"), condition=Q(time__isnull=False), name="productvalue_time"),
        ]


class ConvertedValue(CompanyRow):
    """A record's value of a field that is being converted: what it will be, put by until all are ready.

    `before` is the value that it was made from, so that a value written meanwhile shows. `rows` are the typed rows of `after`, null where
    they stay as they are.
    """

    pk = models.CompositePrimaryKey("job_id", "record_id")
    job = CompanyForeignKey("crm.BulkJob", on_delete=models.CASCADE, related_name="converted_values", db_index=False)
    record_id = ObjectIdField()
    before = JSONField()
    after = JSONField(null=True)
    rows = JSONField(null=True)


class CustomSection(CompanyModel):
    """A titled group of a panel's fields; CustomField.section holds its id."""

    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    panel = models.CharField(max_length=16, choices=CustomField.Panel, default=CustomField.Panel.CONTACT)
    order = models.IntegerField(null=True, blank=True)
    hide = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint("company", "panel", Lower("name"), name="customsection_name_unique")]
