"""The work of disputes."""

from __future__ import annotations

from billing.disputes.models import DisputeWatch
from billing.disputes.services import WORK, work
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, queue="send", task="billing.check_disputes", model=DisputeWatch))
