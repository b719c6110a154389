"""The work of sending messages."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.delivery.approving.approvals import hold_lapsed
from outreach.messaging.delivery.limits.quotas import forget_unused
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.sending.claims import has_due
from outreach.messaging.delivery.sending.loop import drain
from outreach.messaging.delivery.sending.uncertain import ask_again, has_doubts
from outreach.messaging.delivery.tracking.effects import apply_waiting, forget_old
from outreach.messaging.delivery.tracking.effects import has_waiting as has_visits

register(
    QueueWork(
        "send",
        drain,
        has_due=has_due,
        queue="outreach",
        task="outreach.send_messages",
        model=SendJob,
        frees_claims=True,
    )
)
register(QueueWork("doubts", ask_again, has_due=has_doubts, queue="outreach", task="outreach.check_uncertain_messages"))
register(PeriodicTask("outreach.lapsed_approvals", hold_lapsed, every=timedelta(minutes=1)))
register(PeriodicTask("outreach.quotas", forget_unused, every=timedelta(hours=1)))
register(QueueWork("tracking", apply_waiting, has_due=has_visits, queue="bulk", task="outreach.apply_tracking"))
register(PeriodicTask("outreach.old_tracking", forget_old, every=timedelta(hours=1)))
