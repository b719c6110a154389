from billing.coupons.models import Coupon, Redemption
from billing.dunning.models import Dunning
from billing.gateways.models import GatewayAccount
from billing.invoices.models import CreditNote, Invoice, InvoiceLine, InvoiceSeries, Seller
from billing.ledger.models import Posting
from billing.payments.models import Attempt, GatewayEvent, Payment, PaymentMethod, Refund, Transaction
from billing.plans.models import Currency, Plan, PlanPrice
from billing.subscriptions.models import Subscription, SubscriptionChange
from billing.taxes.models import BillingDetails, TaxRate

__all__ = [
    "Attempt",
    "BillingDetails",
    "Coupon",
    "CreditNote",
    "Currency",
    "Dunning",
    "GatewayAccount",
    "GatewayEvent",
    "Invoice",
    "InvoiceLine",
    "InvoiceSeries",
    "Payment",
    "PaymentMethod",
    "Plan",
    "PlanPrice",
    "Posting",
    "Redemption",
    "Refund",
    "Seller",
    "Subscription",
    "SubscriptionChange",
    "TaxRate",
    "Transaction",
    "BillingDetails",
]
