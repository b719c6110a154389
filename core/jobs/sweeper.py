"""The sweeper frees the rows of workers that are dead."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from core.ids import ObjectIdField
from core.jobs.models import Claimable
from core.jobs.registry import queue_work_by_name
from core.jobs.runner import ended_hook, notify_ended
from core.tenancy import company_scope, unscoped

MAX_DEATHS = 10
POISONED = f"{MAX_DEATHS} workers in a row died while they worked on it, so that it was stopped."
MAX_ROWS = 5000


def sweep() -> int:
    """Free the rows that dead workers held. Returns the number freed."""
    return sum(free_orphans(model, held) for model, held in held_rows())


def held_rows() -> list[tuple[type[Claimable], str]]:
    """Return the models whose rows workers hold, each with a status of held rows."""
    models = {work.model: None for work in queue_work_by_name().values() if work.model is not None}
    return [(model, held) for model in models for held in model.claim_policy.orphans]


def free_orphans(model: type[Claimable], held: str) -> int:
    """Free the rows of a model and status that dead workers held. Returns the number freed."""
    status = model.claim_policy.orphans[held]
    company = F("company_id") if hasattr(model, "company_id") else Value(None, output_field=ObjectIdField(null=True))
    objects: Any = model._default_manager
    with unscoped(reason="sweeper: rows of dead workers in all companies"), transaction.atomic():
        # SKIP LOCKED: a locked row is being finished, or freed by another sweeper.
        rows = list(
            model.orphans(held).select_for_update(skip_locked=True, of=("self",)).values_list("pk", company)[:MAX_ROWS]
        )
        if not rows:
            return 0
        after: Any = Value(status)
        if status == model.claim_policy.ready:  # only a row that would be retried can be poisoned
            after = Case(When(deaths__gte=MAX_DEATHS - 1, then=Value(model.claim_policy.poisoned)), default=after)
        objects.filter(pk__in=[pk for pk, _ in rows]).update(
            status=after, lease=None, worker=None, deaths=F("deaths") + 1, updated_at=timezone.now()
        )
        poisoned = objects.filter(pk__in=[pk for pk, _ in rows], status=model.claim_policy.poisoned)
        poisoned.update(error=POISONED)
        model.handle_freed(rows, held, status)
        for job in poisoned if ended_hook(model) else ():
            with company_scope(job.company_id):
                notify_ended(job)
    return len(rows)
