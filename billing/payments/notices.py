"""Notices to a company's owners about money that came, or did not (templates/mails/notice_payment_*)."""

from __future__ import annotations

from accounts.members.notices import notify
from accounts.models import Company
from accounts.settings.notices import Notice
from billing.ledger.money import sum_text
from billing.payments.models import Payment
from core.text.translation import gettext_lazy

RECEIVED = "payment.received"
REJECTED = "payment.rejected"

NOTICES = (
    Notice(RECEIVED, gettext_lazy("Payment received"), "notice_payment_received"),
    Notice(REJECTED, gettext_lazy("Bank transfer rejected"), "notice_payment_rejected"),
)


def tell_received(payment: Payment, *, by: str, credited: bool = False) -> None:
    """Notify of a payment in the transaction that books it. `credited`: it became balance."""
    _notify(RECEIVED, payment, by_bank=by == "bank", credited=credited)


def tell_rejected(payment: Payment) -> None:
    """Notify that staff have rejected an order's bank transfer, with the reason."""
    _notify(REJECTED, payment, reason=payment.decision)


def _notify(notice: str, payment: Payment, **context: object) -> None:
    context |= {
        "company": Company.objects.only("name").get(pk=payment.company_id),
        "payment": payment,
        "invoice": payment.invoice,
        "amount": sum_text(payment.amount_minor, payment.currency),
    }
    notify(notice, context, about=("plans", payment.subscription_id))
