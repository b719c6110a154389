"""Addresses of buying."""

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
from core.api.routers import ResourceRouter


def register_protected(router: ResourceRouter) -> None:
    for letter, view in GATEWAYS.items():
        router.register(f"gateway-{letter}", view)
    router.register("subscription", SubscriptionViewSet)
    router.register("subscription/billing-details", BillingDetailsViewSet)
    router.register("subscription/invoices", InvoiceViewSet)
    router.register("subscription/credit-notes", CreditNoteViewSet)
    router.register("subscription/transactions", TransactionViewSet)
    router.register("subscription/payment-methods", PaymentMethodViewSet)
    router.register("manual-payment", ManualPaymentViewSet)
    router.register("coupons", CouponViewSet)
