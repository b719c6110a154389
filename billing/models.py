from billing.plans.models import Currency, Plan, PlanPrice
from billing.subscriptions.models import Subscription, SubscriptionChange

__all__ = ["Currency", "Plan", "PlanPrice", "Subscription", "SubscriptionChange"]
