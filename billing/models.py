from billing.coupons.models import Coupon, Redemption
from billing.disputes.models import Dispute, DisputeWatch
from billing.dunning.models import Dunning
from billing.gateways.models import GatewayAccount
from billing.invoices.models import CreditNote, Invoice, InvoiceLine, InvoiceSeries, Seller
from billing.ledger.models import Posting
from billing.methods.models import MethodSetup
from billing.payments.models import Attempt, GatewayEvent, Payment, PaymentMethod, Refund, Transaction
from billing.plans.models import Currency, Plan, PlanPrice
from billing.reconciliation.models import Difference, Reconciliation
from billing.subscriptions.models import Subscription, SubscriptionChange
from billing.taxes.models import BillingDetails, TaxRate

__all__ = [
    "Attempt",
    "BillingDetails",
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
    "MethodSetup",
    "Payment",
    "PaymentMethod",
    "Plan",
    "PlanPrice",
    "Posting",
    "Reconciliation",
    "Redemption",
    "Refund",
    "Seller",
    "Subscription",
    "SubscriptionChange",
    "TaxRate",
    "Transaction",
    "BillingDetails",
]
