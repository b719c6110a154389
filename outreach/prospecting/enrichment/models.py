from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel, Job
from core.text.translation import gettext_lazy as _


class Enrichment(Job):
    """A job that asks the company's enrichment app about each recipient of a run. The run's planning waits for it."""

    run = CompanyForeignKey(
        "outreach.GenieScheduler", on_delete=models.CASCADE, related_name="enrichments", db_index=False
    )
    occurrence = models.PositiveIntegerField(default=1)
    until = models.DateTimeField(help_text="When its time is over and the run goes on without it.")
    position = ObjectIdField(null=True, help_text="The last recipient who was asked about.")
    proposed = models.PositiveIntegerField(default=0)
    failures = models.PositiveSmallIntegerField(default=0, help_text="Asks in a row that came to nothing.")

    class Meta(Job.Meta):
        constraints = [models.UniqueConstraint(fields=("company", "run", "occurrence"), name="enrichment_once")]
        indexes = [
            models.Index(fields=("due_at",), condition=Q(status="queued"), name="enrichment_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="enrichment_running"),
            models.Index(fields=("run",), name="enrichment_run"),
        ]

    def __str__(self) -> str:
        return f"Enrichment for {self.run}"

    @property
    def maker(self) -> Any:
        """The member in whose scope of records it runs."""
        return self.run.created_by


class EnrichmentProposal(CompanyModel):
    """A value that an enrichment app proposes for a field of a contact. Only a person writes it there."""

    class Status(models.TextChoices):
        PROPOSED = "proposed"
        ACCEPTED = "accepted"
        REJECTED = "rejected"

    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, related_name="+", db_index=False)
    field = models.CharField(max_length=100, help_text="The field's key in formData.")
    value = JSONField(help_text="As formData takes it.")
    text = models.CharField(max_length=500, help_text="The value for people.")
    source = models.CharField(max_length=100, help_text="The name that the app had.")
    app = CompanyForeignKey("outreach.DataApp", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False)
    run = CompanyForeignKey(
        "outreach.GenieScheduler", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    status = models.CharField(max_length=8, choices=Status, default=Status.PROPOSED)
    decided_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )
    decided_at = models.DateTimeField(null=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("suggestion")
        verbose_name_plural = _("suggestions")
        constraints = [
            models.UniqueConstraint(fields=("company", "contact", "field", "text"), name="enrichmentproposal_once")
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="enrichmentproposal_newest"),
            models.Index(
                fields=("company", "created_at", "id"), condition=Q(status="proposed"), name="enrichmentproposal_open"
            ),
            models.Index(fields=("app",), condition=Q(app__isnull=False), name="enrichmentproposal_app"),
            models.Index(fields=("run",), condition=Q(run__isnull=False), name="enrichmentproposal_run"),
        ]

    def __str__(self) -> str:
        return f"{self.field}: {self.text}"
