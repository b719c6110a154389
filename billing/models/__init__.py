from billing.models.plan import Currency, Plan, PlanPrice
from billing.models.subscription import Subscription, SubscriptionChange

__all__ = ["Currency", "Plan", "PlanPrice", "Subscription", "SubscriptionChange"]
