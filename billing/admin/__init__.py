"""Back office pages of billing, a file for each group of records."""

from billing.admin import plans, subscriptions

__all__ = ["plans", "subscriptions"]
