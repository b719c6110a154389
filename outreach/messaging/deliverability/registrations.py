"""The registrations of deliverability."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import register_notice
from core.api.routes import protected
from core.jobs import PeriodicTask, QueueWork, register
from outreach.messaging.deliverability.models import SenderCheck
from outreach.messaging.deliverability.services import TURNED_RED, add_new_senders, check_due, due_checks
from outreach.messaging.deliverability.views import DeliverabilityViewSet, DkimViewSet

protected.register("apps/smtp/<str:id>/deliverability", DeliverabilityViewSet)
protected.register("apps/smtp/<str:id>/dkim", DkimViewSet)
register(
    QueueWork(
        "sender-checks", check_due, due_rows=due_checks, queue="bulk", task="outreach.check_senders", model=SenderCheck
    )
)
register(PeriodicTask("outreach.new_senders", add_new_senders, every=timedelta(hours=1)))
register_notice(TURNED_RED)
