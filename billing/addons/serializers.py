"""Inputs and outputs of add-ons."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from billing.plans.models import PlanPrice
from core.api.input import Input, IntegerInput, ObjectIdInput
from core.api.output import Computed, IdField, Output

MAX_QUANTITY = 1000


class AddOnInput(Input):
    """An add-on, and how many of it."""

    addOnID = ObjectIdInput(source="add_on_id")
    quantity = IntegerInput(min_value=0, max_value=MAX_QUANTITY, required=False, default=1, help_text="0: none")


class AddOnsInput(serializers.ListField):
    """The add-ons that a subscription is to have."""

    def __init__(self, **kwargs: Any) -> None:
        help_text = "all that it is to have; without it those that it has"
        super().__init__(child=AddOnInput(), required=False, max_length=50, help_text=help_text, **kwargs)

    def to_internal_value(self, data: Any) -> dict[str, int]:  # type: ignore[override]
        rows = super().to_internal_value(data)
        quantities = {row["add_on_id"]: row["quantity"] for row in rows}
        if len(quantities) != len(rows):
            raise serializers.ValidationError("choose each add-on once")
        return {id: quantity for id, quantity in quantities.items() if quantity}


class AddOnPriceOut(Output):
    """The price of one unit of an add-on."""

    currency = serializers.CharField(help_text="ISO 4217 code")
    interval = serializers.ChoiceField(choices=PlanPrice.Interval.choices)
    amount = serializers.FloatField(help_text="for the interval")


class AddOnOut(Output):
    """An add-on on offer."""

    _id = IdField()
    name = serializers.CharField()
    description = serializers.CharField()
    modules = serializers.ListField(child=serializers.CharField(), help_text="permission modules that it adds")
    limits = serializers.DictField(child=serializers.IntegerField(), help_text="limit or meter -> what each one adds")
    prices = Computed(AddOnPriceOut(many=True))


class ItemOut(Output):
    """An add-on that a subscription has."""

    addOnID = serializers.CharField()
    name = serializers.CharField()
    quantity = serializers.IntegerField()
