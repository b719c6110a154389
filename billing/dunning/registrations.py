"""The registrations of dunning."""

from __future__ import annotations

from accounts.settings.notices import Notice, register_notice
from billing.dunning.models import Dunning
from billing.dunning.services import WORK, wake, work
from billing.payments.settlement import payment_method_changed
from core.jobs import QueueWork, register
from core.text.translation import gettext_lazy

register(QueueWork(WORK, work, queue="send", task="billing.run_dunning", model=Dunning))
register_notice(Notice("invoice.due", gettext_lazy("Invoice due"), "notice_invoice_due"))
register_notice(Notice("payment.failed", gettext_lazy("Payment failed"), "notice_payment_failed"))
register_notice(
    Notice("payment.action_needed", gettext_lazy("Payment needs confirmation"), "notice_payment_action_needed")
)
payment_method_changed.connect(wake)
