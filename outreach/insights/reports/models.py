from __future__ import annotations

from django.db import models
from django.db.models import Q, Value
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel


class Dashboard(CompanyModel):
    """Reports side by side, as numbers, charts and tables. A member's own, or everybody's in the company."""

    name = models.CharField(max_length=100)
    description = models.CharField(max_length=500, blank=True, default="")
    tiles = JSONField(
        default=list,
        db_default=Value([], output_field=JSONField()),
        blank=True,
        help_text="title, reportType, by, chart, metric, range of each, and the days of a range of one's own.",
    )
    shared = models.BooleanField(default=False, help_text="Everybody who may read reports sees it.")
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    updated_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint("company", Lower("name"), name="dashboard_name_unique")]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="dashboard_newest"),
            models.Index(fields=("created_by",), condition=Q(created_by__isnull=False), name="dashboard_created_by"),
            models.Index(fields=("updated_by",), condition=Q(updated_by__isnull=False), name="dashboard_updated_by"),
        ]

    def __str__(self) -> str:
        return self.name
