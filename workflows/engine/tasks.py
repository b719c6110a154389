"""The work of the engine."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.db.models import QuerySet

from core.jobs.registry import Moment
from outreach.runs.genie.automated import ended_awaited_messages
from workflows.engine import completion, messages, slices
from workflows.engine.limits import places
from workflows.engine.limits.models import PlaceNotice

PAUSE = 0.05
"""Seconds after which a worker that advances runs checks the other work of the engine."""


def work(deadline: float = float("inf")) -> None:
    """Advance runs, deliver message results, settle workflows and admit runs until the deadline or the end of the
    work."""
    looked = 0.0
    while monotonic() < deadline:
        if monotonic() - looked > PAUSE:
            while monotonic() < deadline and (completion.settle_some() or places.admit_batch()):
                pass
            messages.resume_runs(deadline)
            looked = monotonic()
        slices.enqueue_due_timers()
        if slices.work_slice():
            continue
        if not places.has_notices() and not completion.has_unsettled():
            break
        looked = 0.0


def due_rows(now: Moment) -> list[QuerySet[Any]]:
    """Return the runs to advance or to admit, the message results to deliver and the workflows to settle."""
    notices = PlaceNotice.objects.all()
    return [*slices.due_rows(now), completion.unsettled_workflows(), notices, ended_awaited_messages()]
