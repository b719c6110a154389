"""Work under way of all kinds: each app registers its jobs (`register_work`) when it is ready."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast
from rest_framework import serializers

from core.access import Actor, may_read
from core.api.output import Computed, IdField, Output
from core.models import Job
from core.types import JsonObject

MOVING = (Job.Status.QUEUED.value, Job.Status.RUNNING.value)
MAX_JOBS = 20
COLUMNS = ("work_kind", "pk", "status", "work_title", "work_about", "total", "processed", "created_at")


@dataclass(frozen=True)
class Work:
    """Jobs of a kind."""

    resource: str
    """As the API's paths call it."""
    module: str
    """The permission module whose GET shows it; "" where `jobs` knows."""
    jobs: Callable[[Actor], QuerySet[Any]]
    """Returns the jobs that the actor may read."""
    title: str | Combinable = Value("")
    """The path or expression of a job's name."""
    about: str | Combinable = Value("")
    """The path or expression of the kind of records that it is about."""


WORK: dict[str, Work] = {}
"""Resource -> work."""


def register_work(work: Work) -> None:
    """Register jobs that are shown while they run."""
    WORK[work.resource] = work


class WorkOut(Output):
    """A job under way."""

    resource = Computed(serializers.CharField(help_text="as paths call it: contact/import, genie and so on"))
    _id = IdField()
    status = serializers.ChoiceField(choices=MOVING)
    title = Computed(serializers.CharField(help_text="the file, the name of the outreach, the action; may be empty"))
    about = Computed(serializers.CharField(help_text="the records that it is about, or empty"))
    total = serializers.IntegerField(allow_null=True)
    processed = serializers.IntegerField()
    percent = Computed(serializers.FloatField())
    createdAt = serializers.DateTimeField()


class UnderWayOut(Output):
    """Running work."""

    work = Computed(WorkOut(many=True))


def work_under_way(actor: Actor) -> list[JsonObject]:
    """Return the newest running jobs that the actor may read, at most MAX_JOBS, by one statement."""
    rows = [_rows(work, actor) for work in WORK.values() if not work.module or may_read(actor, work.module)]
    if not rows:
        return []
    jobs = rows[0].union(*rows[1:], all=True) if len(rows) > 1 else rows[0]
    return [_job_data(*row) for row in jobs.order_by("-created_at", "pk")[:MAX_JOBS]]


def _rows(work: Work, actor: Actor) -> QuerySet[Any, Any]:
    def text(expression: str | Combinable) -> Cast:
        return Cast(F(expression) if isinstance(expression, str) else expression, CharField())

    jobs = work.jobs(actor).filter(status__in=MOVING).order_by()
    named = {"work_title": text(work.title), "work_about": text(work.about)}
    rows = jobs.annotate(work_kind=Cast(Value(work.resource), CharField()), **named)
    values: QuerySet[Any, Any] = rows.values_list(*COLUMNS)
    return values


def _job_data(
    resource: str, id: str, status: str, title: str, about: str, total: int | None, processed: int, created_at: Any
) -> JsonObject:
    return {
        "resource": resource,
        "_id": id,
        "status": status,
        "title": title or "",
        "about": about or "",
        "total": total,
        "processed": processed,
        "percent": round(min(100 * processed / total, 100.0), 1) if total else 0.0,
        "createdAt": created_at,
    }
