"""Reminders of follow-ups and meetings. The worker sends each once, in the transaction that records the sending."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.mails.services import Letter, queue_mails
from core.jobs.registry import Moment
from core.tenancy import unscoped
from core.types import JsonObject

log = logging.getLogger(__name__)

MAX_MINUTES = 40_320
"""Four weeks."""
RETRY_DELAY = timedelta(minutes=10)
RemindedRecord = Any
"""A follow-up, a meeting, or another record with remind_minutes, remind_at and reminded_at."""


@dataclass(frozen=True)
class Reminder:
    """A type of record with reminders: the records that may have one, the mail's template, and its recipients."""

    rows: Callable[[], QuerySet[Any]]
    template: str
    letters: Callable[[RemindedRecord], Sequence[Letter]]
    at: str = "remind_at"
    """The column with the time at which it is due."""

    def due(self, now: Moment) -> QuerySet[Any]:
        return self.rows().filter(reminded_at=None, remind_at__lte=now)

    def send(self, record: RemindedRecord) -> None:
        queue_mails(self.template, self.letters(record), company_id=record.company_id)

    def sent(self, now: datetime) -> JsonObject:
        """Return the values of a record whose reminder was sent."""
        return {"reminded_at": now}


REMINDERS: dict[tuple[type[RemindedRecord], str], Reminder] = {}
"""(type of record, template) -> its reminder."""


def register_reminder(model: type[RemindedRecord], reminder: Reminder) -> None:
    """Register a type of record with the worker. `letters` runs outside of any company's scope."""
    REMINDERS[model, reminder.template] = reminder


def schedule_reminder(record: RemindedRecord, at: datetime) -> None:
    """Set the time of the record's reminder for the event at `at`; the caller saves the record.

    A reminder whose time has passed is due at once while `at` lies in the future; a record of the past gets none.
    """
    minutes = record.remind_minutes
    record.reminded_at = None
    record.remind_at = None if minutes is None or at <= timezone.now() else at - timedelta(minutes=minutes)


def due_reminders(now: Moment) -> list[QuerySet[Any]]:
    """Return the records whose reminders are due."""
    return [reminder.due(now) for reminder in REMINDERS.values()]


def remind(deadline: float = float("inf")) -> int:
    """Send due reminders, one transaction each, until none is left or the deadline (of monotonic()) passes. Returns the
    number sent."""
    done = 0
    for (model, _template), reminder in REMINDERS.items():
        while monotonic() < deadline and _remind_one(model, reminder):
            done += 1
    return done


def _remind_one(model: type[RemindedRecord], reminder: Reminder) -> bool:
    with unscoped(reason="reminders: of all companies"), transaction.atomic():
        # SKIP LOCKED: several workers remind at once, each of another record.
        record = (
            reminder.due(timezone.now())
            .select_for_update(skip_locked=True, of=("self",))
            .order_by(reminder.at, "pk")
            .first()
        )
        if record is None:
            return False
        own = model.objects.filter(pk=record.pk)
        try:
            # The savepoint undoes half a reminder, so that a retry mails nobody twice.
            with transaction.atomic():
                reminder.send(record)
                own.update(**reminder.sent(timezone.now()))
        except Exception:  # noqa: BLE001  one reminder must not stop the others; it is tried again
            log.exception("reminder of %s %s failed", model.__name__, record.pk)
            own.update(**{reminder.at: timezone.now() + RETRY_DELAY})
        return True
