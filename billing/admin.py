"""Back office pages of billing. The order is that of the panels on a page."""

from billing.entitlements import admin as entitlements
from billing.plans import admin as plans
from billing.subscriptions import admin as subscriptions

__all__ = ["entitlements", "plans", "subscriptions"]
