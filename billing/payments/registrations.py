"""The registrations of payments."""

from __future__ import annotations

from datetime import timedelta

from accounts.settings.notices import register_notice
from billing.coupons.holds import release_lapsed
from billing.payments import refunds
from billing.payments.hooks import WORK
from billing.payments.models import Attempt, Refund
from billing.payments.notices import NOTICES
from billing.payments.orders import cancel_expired
from billing.payments.processor import work
from billing.payments.reports import REPORTS
from core.jobs import PeriodicTask, QueueWork, register
from core.reports import register_report

register(QueueWork(WORK, work, queue="send", task="billing.process_payments", model=Attempt))
register(QueueWork(refunds.WORK, refunds.work, queue="send", task="billing.refund_payments", model=Refund))
register(PeriodicTask("billing.orders", cancel_expired, every=timedelta(minutes=5)))
register(PeriodicTask("billing.coupons", release_lapsed, every=timedelta(minutes=1)))
for notice in NOTICES:
    register_notice(notice)
for report in REPORTS:
    register_report(report)
