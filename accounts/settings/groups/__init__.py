"""Nested company settings: a module each, with its shape (keys and defaults) and its readers."""

from accounts.settings.groups.chatbot import chatbot_defaults
from accounts.settings.groups.subscription import SubscriptionPolicies, subscription_policies
from accounts.settings.groups.teams import Distribution, LeadRule, lead_rule

__all__ = ["Distribution", "LeadRule", "SubscriptionPolicies", "chatbot_defaults", "lead_rule", "subscription_policies"]
