"""Workflows: their drafts, their published versions, and the triggers of their versions."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Lower

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


class Workflow(CompanyModel):
    """A workflow. Its columns hold the draft; runs go by the published version."""

    class Status(models.TextChoices):
        UNPUBLISHED = "unpublished"
        PUBLISHED = "published"
        PAUSED = "paused"

    name = models.CharField(max_length=200)
    status = models.CharField(max_length=12, choices=Status, default=Status.UNPUBLISHED)
    trigger_event_type = models.CharField(max_length=64, blank=True, default="")
    config = JSONField(default=dict, blank=True, help_text="Who starts, and how often.")
    nodes = JSONField(default=list, blank=True)
    edges = JSONField(default=list, blank=True)
    schedule = JSONField(null=True, blank=True, help_text="When it starts, if time starts it.")
    version = CompanyForeignKey(
        "WorkflowVersion", on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )
    latest = models.PositiveIntegerField(default=0, editable=False, help_text="The number of the last version.")
    hold_no = models.PositiveIntegerField(
        default=0, editable=False, help_text="Runs with a smaller number are held: all of them are paused at once."
    )
    settling = models.BooleanField(
        default=False, editable=False, help_text="The statuses of its runs are still being written."
    )
    carry = models.CharField(
        max_length=8,
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="What becomes of the runs of older versions: move or cancel, until it is done.",
    )
    next_fire_at = models.DateTimeField(null=True, editable=False, help_text="When its schedule starts runs next.")
    hook_token = models.CharField(max_length=64, blank=True, default="", editable=False)
    published_at = models.DateTimeField(null=True, editable=False)
    is_deleted = models.BooleanField(default=False)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    updated_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(
                "company", Lower("name"), condition=models.Q(is_deleted=False), name="workflow_name_unique"
            ),
            models.UniqueConstraint(fields=("hook_token",), condition=~models.Q(hook_token=""), name="workflow_hook"),
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="workflow_newest"),
            models.Index(fields=("id",), condition=models.Q(settling=True), name="workflow_settling"),
            models.Index(
                fields=("next_fire_at",), condition=models.Q(next_fire_at__isnull=False), name="workflow_next_fire"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class WorkflowVersion(CompanyModel):
    """A published graph, which never changes: each run keeps its version for life."""

    workflow = CompanyForeignKey(Workflow, on_delete=models.CASCADE, related_name="versions", db_index=False)
    number = models.PositiveIntegerField()
    graph = JSONField(help_text="triggerEventType, config, nodes, edges, schedule.")
    published_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("workflow", "number"), name="workflowversion_number")]

    def __str__(self) -> str:
        return f"{self.workflow}, version {self.number}"


class WorkflowTrigger(CompanyModel):
    """A kind of events that a published workflow waits for. Events of other kinds don't reach workflows at all."""

    workflow = CompanyForeignKey(Workflow, on_delete=models.CASCADE, related_name="triggers")
    kind = models.CharField(max_length=64)

    class Meta(CompanyModel.Meta):
        verbose_name = _("trigger")
        constraints = [
            models.UniqueConstraint(fields=("company", "kind", "workflow"), name="workflowtrigger_once"),
        ]

    def __str__(self) -> str:
        return code_label(self.kind).capitalize()
