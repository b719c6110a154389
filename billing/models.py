from billing.addons.models import AddOn, AddOnPrice, SubscriptionItem
from billing.charges.models import Charge
from billing.coupons.models import Coupon, Redemption
from billing.disputes.models import Dispute, DisputeWatch
from billing.dunning.models import Dunning
from billing.gateways.models import GatewayAccount
from billing.invoices.models import CreditNote, Invoice, InvoiceLine, InvoiceSeries, Seller
from billing.ledger.models import Posting
from billing.meters.models import MeterPeriod, UsageEvent
from billing.methods.models import MethodSetup
from billing.payments.models import Attempt, GatewayEvent, Payment, PaymentMethod, Refund, Transaction
from billing.plans.models import Currency, MeterPrice, Plan, PlanPrice, PlanVersion
from billing.reconciliation.models import Difference, Reconciliation
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
    "Dunning",
    "Difference",
    "Dispute",
    "DisputeWatch",
    "GatewayAccount",
    "GatewayEvent",
    "Invoice",
    "InvoiceLine",
    "InvoiceSeries",
    "MeterPeriod",
    "MeterPrice",
    "MethodSetup",
    "Payment",
    "PaymentMethod",
    "Plan",
    "PlanPrice",
    "PlanVersion",
    "Posting",
    "Reconciliation",
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
