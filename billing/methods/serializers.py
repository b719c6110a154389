"""Bodies and answers of saving a way to pay without a payment."""

from __future__ import annotations

from rest_framework import serializers

from billing.gateways.models import LETTERS
from core.api.input import Input
from core.api.output import IdField, Output

NAMES = [f"gateway-{letter}" for letter in LETTERS]


class MethodSetupInput(Input):
    """The gateway where a payment method is to be saved."""

    gateway = serializers.ChoiceField(choices=NAMES)


class SetupWayOut(Output):
    """A gateway that saves a way to pay without a payment."""

    gateway = serializers.ChoiceField(choices=NAMES)
    title = serializers.CharField()


class SetupWaysOut(Output):
    """Gateways where a payment method can be saved."""

    gateways = SetupWayOut(many=True)


class MethodSetupOut(Output):
    """A way to pay that is being saved."""

    _id = IdField()
    gateway = serializers.ChoiceField(choices=NAMES)
    redirectUrl = serializers.CharField(help_text="the gateway's page")
