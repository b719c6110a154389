"""Bodies and answers of a company's sending hours."""

from __future__ import annotations

from rest_framework import serializers

from core.api.input import BooleanInput, Input, IntegerInput
from core.api.output import Computed, Output


class SettingsInput(Input):
    """When recipients are written to."""

    windowDays = serializers.ListField(
        child=IntegerInput(min_value=1, max_value=7),
        required=False,
        max_length=7,
        help_text="1 is Monday; empty: every day.",
    )
    windowStart = serializers.TimeField(
        required=False, allow_null=True, help_text="Local time such as 09:00; null: the whole day."
    )
    windowEnd = serializers.TimeField(
        required=False, allow_null=True, help_text="Not included; not later than windowStart: past midnight."
    )
    recipientTimezone = BooleanInput(
        required=False, help_text="The window is read on the recipient's clock, otherwise on the company's."
    )


class SettingsOut(Output):
    windowDays = Computed(serializers.ListField(child=serializers.IntegerField()))
    windowStart = Computed(serializers.CharField(allow_null=True))
    windowEnd = Computed(serializers.CharField(allow_null=True))
    recipientTimezone = Computed(serializers.BooleanField())
    timezone = Computed(serializers.CharField(help_text="The company's; changed with the company's profile."))
