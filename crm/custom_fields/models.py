from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel, CompanyRow
from crm.records.models import CustomField


class ConvertedValue(CompanyRow):
    """The staged value of a record for a field that is being converted.

    `before` is the value that it was converted from, which shows whether the value has changed since. `rows` are the
    typed rows of `after`, null if they stay as they are.
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
