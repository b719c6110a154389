"""The registrations of delivery."""

from __future__ import annotations

from datetime import timedelta

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.companies.overview import Measure, register_measure
from accounts.settings.notices import register_notice
from core.api.routes import protected, public
from core.api.viewsets import ResourceViewSet
from core.jobs import PeriodicTask, QueueWork, register
from crm.exports.lists import register_source
from outreach.messaging.delivery.approving.approvals import hold_lapsed
from outreach.messaging.delivery.limits.quotas import forget_unused
from outreach.messaging.delivery.mails import SENDER_FAILING, SENDER_STOPPED
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.privacy import register_tables
from outreach.messaging.delivery.selectors import drafts, sent_messages
from outreach.messaging.delivery.senders import connected_senders
from outreach.messaging.delivery.sending.claims import senders_with_due_messages
from outreach.messaging.delivery.sending.loop import drain
from outreach.messaging.delivery.sending.uncertain import ask_again, uncertain_messages
from outreach.messaging.delivery.settings.views import GenieSettingsViewSet
from outreach.messaging.delivery.tracking.effects import apply_waiting, forget_old, waiting_events
from outreach.messaging.delivery.unsubscribing.views import UnsubscribeViewSet
from outreach.messaging.delivery.views import VENDOR_LOGS, ChatLogViewSet, SmtpLogViewSet

protected.register("genie/settings", GenieSettingsViewSet)
protected.register("logs/chatapp", ChatLogViewSet)
logs: dict[str, type[ResourceViewSet]] = {"smtp": SmtpLogViewSet, **VENDOR_LOGS}
for channel, viewset in logs.items():
    protected.register(f"logs/{channel}", viewset)
    register_source(f"logs/{channel}", viewset)
public.register("unsubscribe/<str:token>", UnsubscribeViewSet)
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
        "uncertain", ask_again, due_rows=uncertain_messages, queue="outreach", task="outreach.check_uncertain_messages"
    )
)
register(PeriodicTask("outreach.lapsed_approvals", hold_lapsed, every=timedelta(minutes=1)))
register(PeriodicTask("outreach.quotas", forget_unused, every=timedelta(hours=1)))
register(QueueWork("tracking", apply_waiting, due_rows=waiting_events, queue="bulk", task="outreach.apply_tracking"))
register(PeriodicTask("outreach.old_tracking", forget_old, every=timedelta(hours=1)))
register_notice(SENDER_FAILING)
register_notice(SENDER_STOPPED)
register_first_step(FirstStep("sender", connected_senders, 1))
register_measure(Measure("sent", "genie", sent_messages, "handed_at", by_day=True, place=50))
register_measure(Measure("drafts", "genie", drafts, place=60))
register_tables()
