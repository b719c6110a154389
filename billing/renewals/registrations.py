"""The registrations of renewals."""

from __future__ import annotations

from billing.renewals.services import WORK, due_subscriptions, work
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, due_rows=due_subscriptions, queue="bulk", task="billing.renew"))
