"""The daily checks of senders' domains."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.deliverability.models import SenderCheck
from outreach.messaging.deliverability.services import add_new_senders, check_due, due_checks

register(
    QueueWork(
        "sender-checks",
        check_due,
        due_rows=due_checks,
        queue="bulk",
        task="outreach.check_senders",
        model=SenderCheck,
    )
)
register(PeriodicTask("outreach.new_senders", add_new_senders, every=timedelta(hours=1)))
