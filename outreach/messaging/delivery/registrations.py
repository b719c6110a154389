"""The registrations of delivery."""

from __future__ import annotations

from accounts.companies.first_steps import FirstStep, register_first_step
from accounts.companies.overview import Measure, register_measure
from accounts.settings.notices import register_notice
from crm.exports.sources import register_source
from outreach.messaging.delivery.mails import SENDER_FAILING, SENDER_STOPPED
from outreach.messaging.delivery.selectors import drafts, sent_messages
from outreach.messaging.delivery.senders import connected_senders
from outreach.messaging.delivery.views import VENDOR_LOGS, SmtpLogViewSet

register_notice(SENDER_FAILING)
register_notice(SENDER_STOPPED)
register_first_step(FirstStep("sender", connected_senders, 1))
register_measure(Measure("sent", "genie", sent_messages, "handed_at", by_day=True, place=50))
register_measure(Measure("drafts", "genie", drafts, place=60))
register_source("logs/smtp", SmtpLogViewSet)
for channel, viewset in VENDOR_LOGS.items():
    register_source(f"logs/{channel}", viewset)
