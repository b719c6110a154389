"""The registrations of disputes."""

from __future__ import annotations

from billing.disputes.models import DisputeWatch
from billing.disputes.services import WORK, listen, work
from billing.payments.hooks import webhook_received
from core.jobs import QueueWork, register

register(QueueWork(WORK, work, queue="send", task="billing.check_disputes", model=DisputeWatch))
webhook_received.connect(listen)
