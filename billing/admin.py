"""Back office pages of billing, a file for each group of records."""

from billing.plans import admin as plans
from billing.subscriptions import admin as subscriptions

__all__ = ["plans", "subscriptions"]
