"""The work of renewals."""

from __future__ import annotations

from billing.renewals.services import WORK, has_work, work
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, has_due=has_work, queue="bulk", task="billing.renew"))
