"""Back office pages of billing. The order is that of the panels on a page."""

from billing.addons import admin as addons
from billing.charges import admin as charges
from billing.coupons import admin as coupons
from billing.entitlements import admin as entitlements
from billing.gateways import admin as gateways
from billing.invoices import admin as invoices
from billing.ledger import admin as ledger
from billing.meters import admin as meters
from billing.payments import admin as payments
from billing.plans import admin as plans
from billing.subscriptions import admin as subscriptions
from billing.subscriptions import version_admin as versions
from billing.taxes import admin as taxes

__all__ = [
    "addons",
    "charges",
    "coupons",
    "entitlements",
    "gateways",
    "invoices",
    "ledger",
    "meters",
    "payments",
    "plans",
    "subscriptions",
    "taxes",
    "versions",
]
