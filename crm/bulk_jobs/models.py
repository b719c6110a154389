from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.models import CompanyModel, Job
from core.tenancy.models import MADE_BY_MEMBER, SeenByMember
from core.text.translation import gettext_lazy as _


class BulkJob(Job):
    """A change, deletion or restoring of records, the undoing of one, or a change of a run's messages. A worker does it
    in batches if there are very many. The overwritten values of records are kept for 30 days."""

    seen_by = MADE_BY_MEMBER

    class Action(models.TextChoices):
        UPDATE = "update"
        DELETE = "delete"
        RESTORE = "restore"
        UNDO = "undo"
        CONVERT_FIELD = "convert_field"
        DELETE_FIELD = "delete_field"
        APPROVE_MESSAGES = "approve_messages"
        HOLD_MESSAGES = "hold_messages"
        RETRY_MESSAGES = "retry_messages"
        CANCEL_MESSAGES = "cancel_messages"
        REDRIVE_RUNS = "redrive_runs"

    class Panel(models.TextChoices):
        CONTACT = "contact"
        LEAD = "lead"
        ORGANIZATION = "organization"
        PRODUCT_SERVICE = "productService"
        GENIE = "genie"
        WORKFLOW = "workflow"

    action = models.CharField(max_length=16, choices=Action)
    panel = models.CharField(max_length=16, choices=Panel)
    selection = JSONField(default=dict, help_text="The bulk selection with its query string, or the run.")
    change = JSONField(default=dict, help_text="What to do to each record.")
    automation = models.BooleanField(default=True)
    automation_queued = models.BooleanField(
        null=True, help_text="Workflows start behind what happens now; null: if there are many records."
    )
    limited = models.BooleanField(
        default=False, db_default=False, help_text="Records that come back count against the plan: a session asked."
    )
    position = ObjectIdField(null=True, help_text="The last record that was looked at; work goes on behind it.")
    until = ObjectIdField(null=True, help_text="The last record that was there when the job was made.")
    changed = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    rate = models.FloatField(null=True, help_text="Records a second, smoothed over the last batches.")
    report = JSONField(
        default=dict, help_text="Records that could not be changed or given back, by their ids, and why."
    )
    undoes = CompanyForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="undone_by", db_index=False)
    undoes_import = CompanyForeignKey(
        "crm.Import", on_delete=models.SET_NULL, null=True, related_name="undone_by", db_index=False
    )
    undo_until = models.DateTimeField(null=True)
    undone_at = models.DateTimeField(null=True)
    created_by = CompanyForeignKey(
        "accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+", db_index=False
    )

    class Meta(Job.Meta):
        verbose_name = _("bulk change")
        indexes = [
            models.Index(fields=("due_at",), condition=Q(status="queued"), name="bulkjob_due"),
            models.Index(fields=("status",), condition=Q(status="running"), name="bulkjob_running"),
            models.Index(fields=("company", "-created_at", "id"), name="bulkjob_newest"),
            models.Index(fields=("finished_at",), condition=Q(total=1), name="bulkjob_single"),
            models.Index(fields=("undoes",), condition=Q(undoes__isnull=False), name="bulkjob_undoes"),
            models.Index(
                fields=("undoes_import",), condition=Q(undoes_import__isnull=False), name="bulkjob_undoes_import"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()} {self.panel}s"

    @property
    def maker(self) -> Any:
        """The member in whose scope of records it runs; None for changes of the company's fields."""
        return None if self.action in OF_ALL_RECORDS else self.created_by


OF_ALL_RECORDS = (BulkJob.Action.CONVERT_FIELD, BulkJob.Action.DELETE_FIELD)
"""Actions on the fields of the company, which all records have."""


class Journal(CompanyModel):
    """The version of a record before a bulk job, an import or a merge changed it, from which it can be restored."""

    seen_by = SeenByMember("coalesce({record}, true)", record="record_id", kind="panel", checked=False)

    bulk_job = CompanyForeignKey(BulkJob, on_delete=models.CASCADE, null=True, related_name="journal", db_index=False)
    import_job = CompanyForeignKey(
        "crm.Import", on_delete=models.CASCADE, null=True, related_name="journal", db_index=False
    )
    merge = CompanyForeignKey("crm.Merge", on_delete=models.CASCADE, null=True, related_name="journal", db_index=False)
    panel = models.CharField(max_length=16)
    record_id = ObjectIdField()
    before = JSONField(null=True, help_text="The record's row and links before; null: there was no such record.")
    after = JSONField(
        null=True,
        help_text="What was different afterwards, so that undoing leaves alone what somebody has changed since.",
    )

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=("bulk_job", "record_id"), condition=Q(bulk_job__isnull=False), name="journal_bulk_job"
            ),
            models.UniqueConstraint(
                fields=("import_job", "panel", "record_id"),
                condition=Q(import_job__isnull=False),
                name="journal_import_job",
            ),
            models.UniqueConstraint(
                fields=("merge", "record_id"), condition=Q(merge__isnull=False), name="journal_merge"
            ),
        ]
        indexes = [models.Index(fields=("created_at",), name="journal_age")]
