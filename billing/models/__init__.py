from billing.models.subscription import Subscription

__all__ = ["Subscription"]
