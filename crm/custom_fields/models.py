from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel, CompanyRow
from crm.records.models import CustomField


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
