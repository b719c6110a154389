"""Back office pages of billing. The order is that of the panels on a page."""

from billing.addons import admin as addons
from billing.charges import admin as charges
from billing.coupons import admin as coupons
from billing.disputes import admin as disputes
from billing.dunning import admin as dunning
from billing.entitlements import admin as entitlements
from billing.gateways import admin as gateways
from billing.invoices import admin as invoices
from billing.ledger import admin as ledger
from billing.meters import admin as meters
from billing.methods import admin as methods
from billing.payments import admin as payments
from billing.plans import admin as plans
from billing.reconciliation import admin as reconciliation
from billing.subscriptions import admin as subscriptions
from billing.subscriptions import version_admin as versions
from billing.taxes import admin as taxes

__all__ = [
    "addons",
    "charges",
    "coupons",
    "disputes",
    "dunning",
    "entitlements",
    "gateways",
    "invoices",
    "ledger",
    "meters",
    "methods",
    "payments",
    "plans",
    "reconciliation",
    "subscriptions",
    "taxes",
    "versions",
]
