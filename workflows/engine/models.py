"""Runs of workflows, and the queues that the engine works from (docs/decisions/0020-workflow-engine.md)."""

from __future__ import annotations

from django.db import models
from django.db.models import Func, Value

from core.fields import CompanyForeignKey, JSONField
from core.models import CompanyModel

LIVE = ("queued", "running", "waiting", "paused", "failed")
"""Statuses of runs that may still go on."""


class WorkflowRun(CompanyModel):
    """A run of a version. Only the slice (workflows.engine.slices) writes `state`."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        WAITING = "waiting"
        PAUSED = "paused"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="runs", db_index=False)
    version = CompanyForeignKey("WorkflowVersion", on_delete=models.CASCADE, related_name="+", db_index=False)
    contact = CompanyForeignKey("crm.Contact", on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    lead = CompanyForeignKey("crm.Lead", on_delete=models.CASCADE, null=True, related_name="+", db_index=False)
    entry_key = models.CharField(max_length=128, help_text="What started it; each starts one run.")
    solo_key = models.CharField(
        max_length=128, null=True, help_text="Whom it is the only live run of the workflow for; null once it ended."
    )
    status = models.CharField(max_length=12, choices=Status, default=Status.QUEUED)
    reason = models.CharField(max_length=32, blank=True, default="")
    epoch = models.PositiveIntegerField(default=0, help_text="Rises when it is paused, cancelled or restarted.")
    hold_no = models.PositiveIntegerField(default=0)
    seq = models.PositiveIntegerField(default=0, help_text="The number of steps taken.")
    state = JSONField(default=dict)
    trigger = JSONField(default=dict, help_text="What started it: kind, objectId and payload.")
    nodes = models.GeneratedField(
        expression=Func(models.F("state"), Value("$.tokens.*[0]"), function="jsonb_path_query_array"),
        output_field=models.JSONField(),
        db_persist=True,
        help_text="Where it stands, a node per branch.",
    )
    depth = models.PositiveSmallIntegerField(default=0, help_text="How many runs stand behind the event.")
    priority = models.PositiveSmallIntegerField(default=5)
    error_node = models.CharField(max_length=64, blank=True, default="")
    error_code = models.CharField(max_length=64, blank=True, default="")
    error = models.TextField(blank=True, default="")
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    created_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(fields=("workflow", "entry_key"), name="workflowrun_entry"),
            models.UniqueConstraint(
                fields=("workflow", "solo_key"), condition=models.Q(solo_key__isnull=False), name="workflowrun_solo"
            ),
        ]
        indexes = [
            models.Index(fields=("company", "created_at", "id"), name="workflowrun_newest"),
            models.Index(fields=("company", "workflow", "created_at", "id"), name="workflowrun_of_workflow"),
            models.Index(fields=("contact",), name="workflowrun_contact"),
            models.Index(fields=("lead",), condition=models.Q(lead__isnull=False), name="workflowrun_lead"),
            models.Index(
                fields=("workflow", "id"),
                condition=models.Q(status__in=LIVE),
                name="workflowrun_live",
            ),
            models.Index(
                fields=("company", "finished_at", "id"),
                condition=models.Q(finished_at__isnull=False),
                name="workflowrun_finished",
            ),
            models.Index(
                fields=("company", "error_code", "id"),
                condition=~models.Q(error_code=""),
                name="workflowrun_error",
            ),
            models.Index(
                fields=("company", "status", "id"),
                condition=~models.Q(status__in=("completed", "cancelled")),
                name="workflowrun_status",
            ),
        ]


class RunReady(CompanyModel):
    """A notice that a run may move. A run may have several; the slice removes those that it has seen."""

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="+")
    priority = models.PositiveSmallIntegerField(default=5)

    class Meta(CompanyModel.Meta):
        indexes = [models.Index(fields=("company", "priority", "id"), name="runready_next")]


class RunTimer(CompanyModel):
    """The end of a wait. It stays until the slice has taken it, so a pause loses none."""

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="timers", db_index=False)
    token = models.CharField(max_length=16)
    due_at = models.DateTimeField()
    told = models.BooleanField(default=False, help_text="The run has been told that it is due.")

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("run", "token"), name="runtimer_token")]
        indexes = [models.Index(fields=("due_at",), condition=models.Q(told=False), name="runtimer_due")]


class RunStep(CompanyModel):
    """A node that a run has been through: written once, with the effects of the node."""

    class Status(models.TextChoices):
        DONE = "done"
        WAITING = "waiting"
        RETRYING = "retrying"
        FAILED = "failed"

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="steps", db_index=False)
    node = models.CharField(max_length=64)
    visit = models.PositiveIntegerField()
    attempt = models.PositiveSmallIntegerField(default=1)
    status = models.CharField(max_length=12, choices=Status)
    handle = models.CharField(max_length=64, blank=True, default="")
    output = JSONField(null=True)
    error = JSONField(null=True)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("run", "node", "visit"), name="runstep_visit")]


class NodeCount(CompanyModel):
    """How often runs of a version went through a node in an hour, and how they left it.

    Slices add rows, so that none waits for another one; `counting.compact` puts those of an hour together.
    """

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+", db_index=False)
    version = CompanyForeignKey("WorkflowVersion", on_delete=models.CASCADE, related_name="+", db_index=False)
    node = models.CharField(max_length=64)
    hour = models.DateTimeField()
    outcome = models.CharField(max_length=64, help_text="The handle that they left by, or the status of the step.")
    number = models.PositiveBigIntegerField()
    compact = models.BooleanField(default=False)

    class Meta(CompanyModel.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=("version", "node", "hour", "outcome"),
                condition=models.Q(compact=True),
                name="nodecount_once",
            )
        ]
        indexes = [
            models.Index(fields=("workflow", "hour"), name="nodecount_of_workflow"),
            models.Index(fields=("id",), condition=models.Q(compact=False), name="nodecount_loose"),
            models.Index(fields=("hour",), name="nodecount_hour"),
        ]


class RunSkip(CompanyModel):
    """How many starts a workflow refused on a day, and why."""

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+", db_index=False)
    day = models.DateField()
    reason = models.CharField(max_length=32)
    number = models.PositiveIntegerField(default=0)

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("workflow", "day", "reason"), name="runskip_day")]


class ScheduleFiring(CompanyModel):
    """A time at which a schedule has started runs: each once, whatever beats twice."""

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+", db_index=False)
    due_at = models.DateTimeField()

    class Meta(CompanyModel.Meta):
        constraints = [models.UniqueConstraint(fields=("workflow", "due_at"), name="schedulefiring_once")]
