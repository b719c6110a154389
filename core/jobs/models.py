"""The rows of work: claimable rows, jobs that people see, and the schedule of periodic tasks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from core.fields import ObjectIdField
from core.jobs.liveness import ALIVE, NAMESPACE
from core.logs import request_id
from core.tenancy.models import BaseModel, CompanyRow
from core.text.translation import gettext_lazy as _


@dataclass(frozen=True)
class ClaimPolicy:
    """The status that may be claimed, the one that a claim writes, and those of a dead worker's rows.

    `orphans` maps the status that the worker held to the status that its rows get.
    """

    ready: str
    claimed: str
    orphans: dict[str, str] = field(default_factory=dict)
    poisoned: str = "failed"
    """The status of a row after MAX_DEATHS workers died on it without progress in between."""


class Claimable(BaseModel):
    """A row of work, of a company (CompanyWork) or of none.

    A worker holds it by a lease, which every later write checks (core.jobs.leases).
    """

    claim_policy: ClassVar[ClaimPolicy]

    due_at = models.DateTimeField(default=timezone.now, help_text="Not before.")
    lease = ObjectIdField(null=True, help_text="Written anew by each claim; a write under another lease is refused.")
    worker = models.IntegerField(
        null=True, editable=False, help_text="Lock number of the worker process that holds the lease."
    )
    attempts = models.PositiveSmallIntegerField(default=0, editable=False)
    error = models.TextField(blank=True, default="", help_text="What went wrong, for the person who reads it.")
    deaths = models.PositiveSmallIntegerField(
        default=0, editable=False, help_text="Workers that died on it since its last progress."
    )

    class Meta:
        abstract = True

    @classmethod
    def claimable(cls, now: datetime | Now, extra: models.Q | None = None) -> models.QuerySet[Any]:
        """Return the rows that may be claimed at a time, of all companies inside of core.tenancy.unscoped."""
        objects: models.Manager[Any] = cls._default_manager
        return objects.filter(models.Q(status=cls.claim_policy.ready, due_at__lte=now), extra or models.Q())

    @classmethod
    def orphans(cls, held: str) -> models.QuerySet[Any]:
        """Return the rows of this status whose worker is dead."""
        objects: models.Manager[Any] = cls._default_manager
        dead = f"(worker IS NULL OR worker NOT IN ({ALIVE}))"
        return objects.filter(status=held).extra(where=[dead], params=[NAMESPACE])  # noqa: S610  constant SQL

    @classmethod
    def handle_freed(cls, rows: list[tuple[str, Any]], held: str, status: str) -> None:
        """Handle rows that were taken from dead workers, in the sweeper's transaction. The default does nothing.

        `rows` are pairs of id and company id.
        """


class CompanyWork(Claimable, CompanyRow):
    """A row of work that belongs to a company."""

    class Meta(CompanyRow.Meta):
        abstract = True


class Job(CompanyWork):
    """Long work that people see: imports, runs, bulk changes, exports."""

    class Status(models.TextChoices):
        PAUSED = "paused"
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETED = "completed"
        FAILED = "failed"
        CANCELLED = "cancelled"

    claim_policy = ClaimPolicy(ready="queued", claimed="running", orphans={"running": "queued"})

    status = models.CharField(max_length=16, choices=Status, default=Status.QUEUED)
    pause_requested = models.BooleanField(default=False)
    cancel_requested = models.BooleanField(default=False)
    total = models.PositiveIntegerField(null=True, help_text="Units of work, once they are counted.")
    processed = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    busy_ms = models.PositiveBigIntegerField(default=0, help_text="Time spent working, without waits and pauses.")
    error_detail = models.TextField(blank=True, help_text="What went wrong, for the operator.")
    request_id = models.CharField(
        max_length=24,
        blank=True,
        default=request_id,
        db_default="",
        editable=False,
        help_text="The request that began it: its X-Request-ID, which lines of the log about the job carry too.",
    )

    class Meta(CompanyWork.Meta):
        abstract = True

    @property
    def maker(self) -> Any:
        """The member in whose scope of records it runs; None runs it for the whole company."""
        return getattr(self, "created_by", None)


class TaskSchedule(models.Model):
    """The next run of a periodic task (core.jobs.periodic), and the result of the last one."""

    name = models.CharField(max_length=64, primary_key=True)
    due_at = models.DateTimeField(default=timezone.now)
    done_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        db_table = "core_chore"
        verbose_name = _("periodic task")

    def __str__(self) -> str:
        return self.name
