"""Notices to a company's owners about the charges of its renewals (templates/mails/notice_payment_*)."""

from __future__ import annotations

from accounts.settings.notices import Notice
from core.text.translation import gettext_lazy

DUE = "invoice.due"
FAILED = "payment.failed"
ACTION_NEEDED = "payment.action_needed"

NOTICES = (
    Notice(DUE, gettext_lazy("Invoice due"), "notice_invoice_due"),
    Notice(FAILED, gettext_lazy("Payment failed"), "notice_payment_failed"),
    Notice(ACTION_NEEDED, gettext_lazy("Payment needs confirmation"), "notice_payment_action_needed"),
)
