"""The registrations of reconciliation."""

from __future__ import annotations

from datetime import timedelta

from billing.reconciliation.models import Reconciliation
from billing.reconciliation.services import WORK, begin_due, work
from core.jobs import PeriodicTask, QueueWork, register

register(QueueWork(WORK, work, queue="bulk", task="billing.reconcile", model=Reconciliation))
register(PeriodicTask("billing.reconciliation", begin_due, every=timedelta(hours=1)))
