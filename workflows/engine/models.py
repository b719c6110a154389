"""Runs of workflows, and the queues that the engine works from (docs/decisions/0020-workflow-engine.md)."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import Func, Value

from core.fields import CompanyForeignKey, JSONField, ObjectIdField
from core.jobs.models import ClaimPolicy
from core.models import BaseModel, CompanyModel, CompanyWork
from core.text.formats import day_text
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _

WORK, CALLS = "workflow-runs", "workflow-calls"
"""The names of the engine's kinds of work."""
LIVE = ("queued", "running", "waiting", "paused", "failed")
"""Statuses of runs that may still continue."""


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
    epoch = models.PositiveIntegerField(default=0, help_text="Rises when what it waited for is given up.")
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
    parent = JSONField(null=True, help_text="The run that waits for its end: run, token and epoch.")
    priority = models.PositiveSmallIntegerField(default=5)
    error_node = models.CharField(max_length=64, blank=True, default="")
    error_code = models.CharField(max_length=64, blank=True, default="")
    error = models.TextField(blank=True, default="")
    error_reason = JSONField(null=True, help_text="The error's text for people, and the setting that it is about.")
    begins_at = models.DateTimeField(null=True, help_text="It begins no earlier, since starts have a rate.")
    place = models.CharField(
        max_length=12,
        null=True,
        help_text="quota, concurrency: it waits for a place of the plan's or the workflow's; held: it has one.",
    )
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
            # Runs of workflows without limits are in neither.
            models.Index(
                fields=("workflow", "place", "priority", "id"),
                condition=models.Q(place__isnull=False),
                name="workflowrun_place",
            ),
            models.Index(
                fields=("company", "priority", "id"), condition=models.Q(place="quota"), name="workflowrun_quota"
            ),
        ]

    def __str__(self) -> str:
        return f"Run of {self.workflow}"


class RunReady(CompanyModel):
    """A notice that a run may move. A run may have several; a slice deletes the ones it handled."""

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="+")
    priority = models.PositiveSmallIntegerField(default=5)

    class Meta(CompanyModel.Meta):
        verbose_name = _("ready run")
        verbose_name_plural = _("ready runs")
        indexes = [models.Index(fields=("company", "priority", "id"), name="runready_next")]


class RunTimer(CompanyModel):
    """The end of a wait. It stays until the slice has taken it, so a pause loses none."""

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="timers", db_index=False)
    token = models.CharField(max_length=16)
    due_at = models.DateTimeField()
    is_enqueued = models.BooleanField(default=False, db_column="told", help_text="The run is queued since this is due.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("run timer")
        verbose_name_plural = _("run timers")
        constraints = [models.UniqueConstraint(fields=("run", "token"), name="runtimer_token")]
        indexes = [models.Index(fields=("due_at",), condition=models.Q(is_enqueued=False), name="runtimer_due")]


class RunInbox(CompanyModel):
    """An arrival that a run has waited for. It stays until the slice has consumed it."""

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="+")
    token = models.CharField(max_length=16)
    epoch = models.PositiveIntegerField(
        help_text="The run's when it began to wait; if that has risen since, it is dropped."
    )
    kind = models.CharField(max_length=32)
    payload = JSONField(null=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("run signal")
        verbose_name_plural = _("run signals")


class RunCall(CompanyWork):
    """A call outside that a node asks for. Its key is that of the effect: another try, or a restart, finds it again."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        SENDING = "sending", "Sending, with a key"
        SENDING_ONCE = "sending_once", "Sending, only once"
        DONE = "done"
        FAILED = "failed"
        UNKNOWN = "unknown"
        CANCELLED = "cancelled"

    claim_policy = ClaimPolicy(
        ready="queued", claimed="sending", orphans={"sending": "queued", "sending_once": "unknown"}
    )

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="calls", db_index=False)
    key = models.CharField(max_length=36)
    node = models.CharField(max_length=64)
    token = models.CharField(max_length=16)
    epoch = models.PositiveIntegerField()
    kind = models.CharField(max_length=64, help_text="The type of the node.")
    host = models.CharField(max_length=255)
    keyed = models.BooleanField(help_text="It may be made again when nobody knows whether it was made.")
    status = models.CharField(max_length=12, choices=Status, default=Status.QUEUED)
    request = JSONField()
    response = JSONField(null=True)
    late = models.BooleanField(default=False, help_text="The answer came after it had been given up.")
    finished_at = models.DateTimeField(null=True)

    class Meta(CompanyWork.Meta):
        verbose_name = _("outgoing call")
        verbose_name_plural = _("outgoing calls")
        constraints = [models.UniqueConstraint(fields=("run", "key"), name="runcall_effect")]
        indexes = [
            models.Index(
                fields=("company", "host", "due_at", "id"), condition=models.Q(status="queued"), name="runcall_due"
            ),
            models.Index(
                fields=("status", "company", "host"),
                condition=models.Q(status__in=("sending", "sending_once")),
                name="runcall_sending",
            ),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.node).capitalize()} to {self.host}"

    @classmethod
    def handle_freed(cls, rows: list[tuple[str, Any]], held: str, status: str) -> None:
        from workflows.engine.waits.calls import report_abandoned_calls  # noqa: PLC0415  calls are of this model

        report_abandoned_calls(rows)


class RunListener(CompanyModel):
    """An event that a run waits for."""

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="+")
    token = models.CharField(max_length=16)
    epoch = models.PositiveIntegerField()
    node = models.CharField(max_length=64)
    kind = models.CharField(max_length=64)
    object_id = models.CharField(max_length=24, help_text="The record that it is about; empty: any.")

    class Meta(CompanyModel.Meta):
        verbose_name = _("awaited event")
        indexes = [models.Index(fields=("company", "object_id", "kind"), name="runlistener_event")]

    def __str__(self) -> str:
        return code_label(self.kind)


class WorkflowInterest(CompanyModel):
    """A kind of events that runs of a workflow may wait for, or end by."""

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=64)

    class Meta(CompanyModel.Meta):
        verbose_name = _("awaited event kind")
        verbose_name_plural = _("awaited event kinds")
        constraints = [
            models.UniqueConstraint(fields=("company", "kind", "workflow"), name="workflowinterest_once"),
        ]

    def __str__(self) -> str:
        return code_label(self.kind)


class RunApproval(CompanyModel):
    """A question of a run to members, which one of them answers."""

    class Status(models.TextChoices):
        OPEN = "open"
        APPROVED = "approved"
        REJECTED = "rejected"
        TIMEOUT = "timeout"
        CANCELLED = "cancelled"

    run = CompanyForeignKey(WorkflowRun, on_delete=models.CASCADE, related_name="+")
    token = models.CharField(max_length=16)
    epoch = models.PositiveIntegerField()
    node = models.CharField(max_length=64)
    text = models.TextField()
    members = JSONField(default=list, help_text="Ids of those who may answer.")
    until = models.DateTimeField()
    status = models.CharField(max_length=12, choices=Status, default=Status.OPEN)
    comment = models.TextField(blank=True, default="")
    answered_by = CompanyForeignKey("accounts.Member", on_delete=models.SET_NULL, null=True, related_name="+")
    answered_at = models.DateTimeField(null=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("workflow approval")
        verbose_name_plural = _("workflow approvals")
        indexes = [
            models.Index(fields=("company", "status", "created_at", "id"), name="runapproval_newest"),
            GinIndex(fields=("members",), opclasses=["jsonb_path_ops"], name="runapproval_members"),
        ]

    def __str__(self) -> str:
        return self.text[:80] or self.dated_title()


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
    input = JSONField(null=True, help_text="The settings as rendered, of a step that has failed.")
    output = JSONField(null=True)
    error = JSONField(null=True)

    class Meta(CompanyModel.Meta):
        verbose_name = _("run step")
        verbose_name_plural = _("run steps")
        constraints = [models.UniqueConstraint(fields=("run", "node", "visit"), name="runstep_visit")]

    def __str__(self) -> str:
        return code_label(self.node).capitalize()


class NodeCount(CompanyModel):
    """The number of runs of a version that went through a node in an hour, by outcome.

    Slices add rows, so they never wait for each other; `counters.compact` merges the rows of an hour.
    """

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+", db_index=False)
    version = CompanyForeignKey("WorkflowVersion", on_delete=models.CASCADE, related_name="+", db_index=False)
    node = models.CharField(max_length=64)
    hour = models.DateTimeField()
    outcome = models.CharField(max_length=64, help_text="The handle that they left by, or the status of the step.")
    took = models.SmallIntegerField(
        null=True, help_text="How long each took, at most 2^(n/2) milliseconds; empty: not measured."
    )
    number = models.PositiveBigIntegerField()
    compact = models.BooleanField(default=False)

    class Meta(CompanyModel.Meta):
        verbose_name = _("step count")
        verbose_name_plural = _("step counts")
        constraints = [
            models.UniqueConstraint(
                fields=("version", "node", "hour", "outcome", "took"),
                condition=models.Q(compact=True),
                nulls_distinct=False,
                name="nodecount_by_time",
            )
        ]
        indexes = [
            models.Index(fields=("workflow", "hour"), name="nodecount_of_workflow"),
            models.Index(fields=("id",), condition=models.Q(compact=False), name="nodecount_loose"),
            models.Index(fields=("hour",), name="nodecount_hour"),
        ]

    def __str__(self) -> str:
        return f"{code_label(self.node).capitalize()}: {self.outcome}"


class RunSkip(CompanyModel):
    """The number of starts that a workflow refused on a day, by reason."""

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+", db_index=False)
    day = models.DateField()
    reason = models.CharField(max_length=32)
    number = models.PositiveIntegerField(default=0)

    class Meta(CompanyModel.Meta):
        verbose_name = _("refused start")
        constraints = [models.UniqueConstraint(fields=("workflow", "day", "reason"), name="runskip_day")]

    def __str__(self) -> str:
        return f"{code_label(self.reason).capitalize()}, {day_text(self.day)}"


class ScheduleFiring(CompanyModel):
    """A time at which a schedule has started runs: each once, even if beat fires twice."""

    workflow = CompanyForeignKey("Workflow", on_delete=models.CASCADE, related_name="+", db_index=False)
    due_at = models.DateTimeField()

    class Meta(CompanyModel.Meta):
        verbose_name = _("scheduled start")
        constraints = [models.UniqueConstraint(fields=("workflow", "due_at"), name="schedulefiring_once")]


class SliceMark(BaseModel):
    """The runs of a slice, written before it and removed by it: remaining ones belong to a dead worker."""

    runs = JSONField(default=list)

    class Meta(BaseModel.Meta):
        verbose_name = _("running batch")
        verbose_name_plural = _("running batches")


class QueuedEvent(CompanyModel):
    """An event that is to start runs later: the company has many queued runs, or it comes from many records at once."""

    event_id = ObjectIdField(help_text="The event, which is kept for longer than it waits.")
    priority = models.PositiveSmallIntegerField(default=5)

    class Meta(CompanyModel.Meta):
        verbose_name = _("waiting start")
        indexes = [models.Index(fields=("company", "priority", "id"), name="queuedevent_next")]
