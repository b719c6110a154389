from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel, CompanyRow


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
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("company", "panel", "unique_field_id"), name="customfield_key_unique"),
            models.UniqueConstraint(fields=("company", "panel", "name"), name="customfield_name_unique"),
        ]


class CustomFieldValue(CompanyRow):
    """One typed value of a contact's custom field, kept beside Contact.custom for filters and sorts by index.

    A multi-select has a row per choice (`position`). `text` holds at most 500 characters, so that it fits an index; numbers and booleans
    (0, 1) are `number`, dates are `time`.
    """

    pk = models.CompositePrimaryKey("contact_id", "field_id", "position")
    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, related_name="values", db_index=False)
    field = CompanyForeignKey(CustomField, on_delete=models.CASCADE, related_name="values", db_index=False)
    position = models.PositiveSmallIntegerField(default=0)
    text = models.CharField(max_length=500, null=True)
    number = models.DecimalField(max_digits=30, decimal_places=10, null=True)
    time = models.DateTimeField(null=True)

    class Meta(CompanyRow.Meta):
        indexes = [
            models.Index(fields=("field", "text", "contact"), condition=Q(text__isnull=False), name="fieldvalue_text"),
            models.Index(fields=("field", "number", "contact"), condition=Q(number__isnull=False), name="fieldvalue_number"),
            models.Index(fields=("field", "time", "contact"), condition=Q(time__isnull=False), name="fieldvalue_time"),
        ]
