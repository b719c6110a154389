"""subscriptionPolicies: renewal at the end of a subscription's period, and reminders before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rest_framework import serializers

from accounts.settings.groups.base import Shape, read_stored_setting
from core.api.input import BooleanInput, IntegerInput


class DayList(serializers.ListField):
    """Days before the end, the farthest first, each once."""

    def __init__(self, **options: Any) -> None:
        super().__init__(child=IntegerInput(min_value=1, max_value=60), max_length=10, **options)

    def to_internal_value(self, data: Any) -> list[int]:
        return sorted(set(super().to_internal_value(data)), reverse=True)


class SubscriptionPoliciesShape(Shape):
    """Settings for the end of the subscription's period."""

    autoRenew = BooleanInput(default=True, help_text="Renew the subscription at the end of its period.")
    remindDaysBefore = DayList(
        default=lambda: [7, 1], help_text="Days before the end at which notice is given; [] for no notice."
    )


@dataclass(frozen=True)
class SubscriptionPolicies:
    """A company's subscriptionPolicies."""

    auto_renew: bool = True
    remind_days_before: tuple[int, ...] = (7, 1)


def subscription_policies(company_id: str) -> SubscriptionPolicies:
    """Return the company's subscriptionPolicies."""
    policies = SubscriptionPoliciesShape.fill(read_stored_setting(company_id, "subscription_policies"))
    return SubscriptionPolicies(policies["autoRenew"], tuple(policies["remindDaysBefore"]))
