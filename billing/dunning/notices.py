"""Notices to a company's owners about the charges of its renewals (templates/mails/notice_payment_*)."""

from __future__ import annotations

from accounts.settings.notices import Notice

DUE = "invoice.due"
FAILED = "payment.failed"
ACTION_NEEDED = "payment.action_needed"

NOTICES = (
    Notice(DUE, "An invoice of the subscription is to be paid", "notice_invoice_due"),
    Notice(FAILED, "A charge for the subscription has failed", "notice_payment_failed"),
    Notice(ACTION_NEEDED, "A charge for the subscription has to be confirmed", "notice_payment_action_needed"),
)
