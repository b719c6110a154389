"""Chores that come round: each is due by its row in the database, so that however many workers there are, one does it each time."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic

from django.db import transaction
from django.utils import timezone

from core.jobs import Work, register
from core.models.periodic import Chore
from core.tenancy import unscoped

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Periodic:
    """A chore of all companies: `run` does a bounded piece and says whether there is more; it must be safe to run twice."""

    name: str
    every: timedelta
    run: Callable[[], bool]


CHORES: dict[str, Periodic] = {}


def periodic(name: str, *, every: timedelta) -> Callable[[Callable[[], bool]], Callable[[], bool]]:
    """Have the function run by a worker at least every so often; while it answers True it is run again at once."""

    def register_chore(run: Callable[[], bool]) -> Callable[[], bool]:
        CHORES[name] = Periodic(name, every, run)
        return run

    return register_chore


def has_due_chores() -> bool:
    """Whether a chore is due, or has never been done here."""
    rows = Chore.objects.filter(name__in=list(CHORES))
    return rows.count() < len(CHORES) or rows.filter(due_at__lte=timezone.now()).exists()


def do_chores(deadline: float = float("inf")) -> None:
    """Do what is due; ends when nothing is, or monotonic() passes the deadline."""
    for name in CHORES.keys() - set(Chore.objects.values_list("name", flat=True)):
        Chore.objects.get_or_create(name=name)
    while monotonic() < deadline and _do_one():
        pass


def _do_one() -> bool:
    with transaction.atomic():
        rows = Chore.objects.select_for_update(skip_locked=True).filter(name__in=list(CHORES), due_at__lte=timezone.now())
        chore = rows.order_by("due_at").first()
        if chore is None:
            return False
        spec, more, error = CHORES[chore.name], False, ""
        try:
            with transaction.atomic(), unscoped(reason="chore: works for all companies"):
                more = spec.run()
        except Exception as trouble:  # noqa: BLE001  the edge of one chore: it comes round again, and the others go on
            log.exception("chore %s failed", chore.name)
            error = f"{type(trouble).__name__}: {trouble}"[:2000]
        chore.error, chore.done_at = error, timezone.now()
        chore.due_at = timezone.now() + (timedelta() if more else spec.every)
        chore.save()
        return True


register(Work("chores", "bulk", do_chores, has_due_chores))
