"""Leases: a worker claims rows of work under a lease, which every later write checks."""

from __future__ import annotations

import random
from datetime import timedelta
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from core.ids import new_id
from core.jobs.liveness import worker_number
from core.jobs.models import Claimable
from core.tenancy import unscoped

Row = TypeVar("Row", bound=Claimable)


class LeaseLost(Exception):
    """Another worker has taken the row over, so this one must not write to it."""


def has_due(model: type[Claimable], extra: Q | None = None) -> bool:
    """Return whether a row of any company is ready to be claimed."""
    with unscoped(reason="tick: due work of all companies"):
        return model.claimable(timezone.now(), extra).exists()


def claim(
    model: type[Row], *, limit: int, extra: Q | None = None, order_by: tuple[str, ...] = ("due_at", "id")
) -> list[Row]:
    """Claim up to `limit` due rows under a new lease, and skip rows that others hold."""
    policy = model.claim_policy
    number = worker_number()
    lease = new_id()
    with unscoped(reason="worker: claims the work of all companies"), transaction.atomic():
        # SKIP LOCKED: workers that claim at the same time get different rows instead of waiting.
        ids = list(
            model.claimable(timezone.now(), extra)
            .select_for_update(skip_locked=True, of=("self",))
            .order_by(*order_by)
            .values_list("pk", flat=True)[:limit]
        )
        if not ids:
            return []
        model._default_manager.filter(pk__in=ids).update(
            status=policy.claimed, lease=lease, worker=number, attempts=F("attempts") + 1, updated_at=timezone.now()
        )
        rows = model._default_manager.in_bulk(ids)
    return [rows[pk] for pk in ids]


def update_owned(row: Claimable, **values: Any) -> None:
    """Update the row under its lease. Raises LeaseLost if another worker has claimed it since."""
    changed = type(row)._default_manager.filter(pk=row.pk, lease=row.lease).update(updated_at=timezone.now(), **values)
    if changed != 1:
        raise LeaseLost(f"{type(row).__name__} {row.pk}")
    for name, value in values.items():
        setattr(row, name, value)


def release_after_error(row: Row, error: Exception, *, status: str) -> None:
    """Release a row after an unexpected error, to be tried later, if it is still ours and nothing has ended it."""
    # The lease fences a slow worker: another worker may have claimed and finished the row.
    model = type(row)
    owned = model._default_manager.filter(pk=row.pk, lease=row.lease, status=model.claim_policy.claimed)
    now = timezone.now()
    text = f"{type(error).__name__}: {error}"[:500]
    owned.update(status=status, due_at=now + backoff_delay(row.attempts), error=text, worker=None, updated_at=now)


def backoff_delay(attempt: int, *, base: float = 2.0, most: float = 3600.0) -> timedelta:
    """Return an exponential wait with full jitter, at least half a second."""
    return timedelta(seconds=0.5 + random.uniform(0, min(most, base**attempt)))  # noqa: S311  jitter, no secret
