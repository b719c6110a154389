from billing.addons.models import AddOn, AddOnPrice, SubscriptionItem
from billing.charges.models import Charge
from billing.coupons.models import Coupon, Redemption
from billing.gateways.models import GatewayAccount
from billing.invoices.models import CreditNote, Invoice, InvoiceLine, InvoiceSeries, Seller
from billing.ledger.models import Posting
from billing.meters.models import MeterPeriod, UsageEvent
from billing.payments.models import Attempt, GatewayEvent, Payment, PaymentMethod, Refund, Transaction
from billing.plans.models import Currency, MeterPrice, Plan, PlanPrice, PlanVersion
from billing.subscriptions.models import Subscription, SubscriptionChange
from billing.taxes.models import BillingDetails, TaxRate

__all__ = [
    "AddOn",
    "AddOnPrice",
    "Attempt",
    "BillingDetails",
    "Charge",
    "Coupon",
    "CreditNote",
    "Currency",
    "GatewayAccount",
    "GatewayEvent",
    "Invoice",
    "InvoiceLine",
    "InvoiceSeries",
    "MeterPeriod",
    "MeterPrice",
    "Payment",
    "PaymentMethod",
    "Plan",
    "PlanPrice",
    "PlanVersion",
    "Posting",
    "Redemption",
    "Refund",
    "Seller",
    "Subscription",
    "SubscriptionChange",
    "SubscriptionItem",
    "TaxRate",
    "Transaction",
    "UsageEvent",
]
