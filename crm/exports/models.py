from __future__ import annotations

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyRow, Job
from core.tenancy.models import MADE_BY_MEMBER
from core.text.labels.words import code_label


class Export(Job):
    """An export of a list into a file."""

    seen_by = MADE_BY_MEMBER

    class Format(models.TextChoices):
        CSV = "csv"
        XLSX = "xlsx"

    resource = models.CharField(max_length=40, help_text="The list, such as contact.")
    query = JSONField(default=dict, help_text="Its query string.")
    columns = JSONField(default=list, help_text="Names of the columns; empty: all.")
    headers = JSONField(null=True, help_text="The headers of its columns when it began.")
    formats = JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        help_text="How its file writes dates and times: {date_format, time_format, timezone}.",
    )
    format = models.CharField(max_length=4, choices=Format, default=Format.CSV)
    file = CompanyForeignKey("crm.File", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(Job.Meta):
        indexes = [
            models.Index(fields=("due_at",), condition=Q(status="queued"), name="export_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="export_running"),
            models.Index(fields=("company", "-created_at", "id"), name="export_newest"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.resource).capitalize()} as {self.format}"


class ExportPart(CompanyRow):
    """A part of an export's rows (crm.exports.parts)."""

    pk = models.CompositePrimaryKey("export_id", "number")
    export = CompanyForeignKey(Export, on_delete=models.CASCADE, related_name="parts", db_index=False)
    number = models.PositiveIntegerField()
    until = models.PositiveIntegerField(help_text="Records of the export up to the part's end.")
    content = models.BinaryField()
