"""The work of sending messages."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.delivery.approving.approvals import hold_lapsed
from outreach.messaging.delivery.limits.quotas import forget_unused
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.sending.claims import senders_with_due_messages
from outreach.messaging.delivery.sending.loop import drain
from outreach.messaging.delivery.sending.uncertain import ask_again, uncertain_messages
from outreach.messaging.delivery.tracking.effects import apply_waiting, forget_old, waiting_events

register(
    QueueWork(
        "send",
        drain,
        due_rows=senders_with_due_messages,
        queue="outreach",
        task="outreach.send_messages",
        model=SendJob,
        frees_claims=True,
    )
)
register(
    QueueWork(
        "doubts", ask_again, due_rows=uncertain_messages, queue="outreach", task="outreach.check_uncertain_messages"
    )
)
register(PeriodicTask("outreach.lapsed_approvals", hold_lapsed, every=timedelta(minutes=1)))
register(PeriodicTask("outreach.quotas", forget_unused, every=timedelta(hours=1)))
register(QueueWork("tracking", apply_waiting, due_rows=waiting_events, queue="bulk", task="outreach.apply_tracking"))
register(PeriodicTask("outreach.old_tracking", forget_old, every=timedelta(hours=1)))
