"""The registrations of checkout."""

from __future__ import annotations

from billing.checkout.gateway_views import GATEWAYS
from billing.checkout.invoice_views import CreditNoteViewSet, InvoiceViewSet
from billing.checkout.order_views import ManualPaymentViewSet
from billing.checkout.views import (
    BillingDetailsViewSet,
    CouponViewSet,
    PaymentMethodViewSet,
    SubscriptionViewSet,
    TransactionViewSet,
)
from core.api.routes import protected

for letter, view in GATEWAYS.items():
    protected.register(f"gateway-{letter}", view)
protected.register("subscription", SubscriptionViewSet)
protected.register("subscription/billing-details", BillingDetailsViewSet)
protected.register("subscription/invoices", InvoiceViewSet)
protected.register("subscription/credit-notes", CreditNoteViewSet)
protected.register("subscription/transactions", TransactionViewSet)
protected.register("subscription/payment-methods", PaymentMethodViewSet)
protected.register("manual-payment", ManualPaymentViewSet)
protected.register("coupons", CouponViewSet)
