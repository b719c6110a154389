"""Output of the company's subscription, with what it allows and how much of that is used."""

from __future__ import annotations

from rest_framework import serializers

from billing.addons.serializers import AddOnOut, ItemOut
from billing.plans.serializers import PERMISSION_MODULES, PlanOut
from billing.subscriptions.models import Subscription
from core.api.output import Computed, IdField, Output

NONE = "none"
"""The status of a company without a subscription."""


class SeatsOut(Output):
    """Seats of a subscription."""

    used = serializers.IntegerField(help_text="members, blocked ones among them, and open invites")
    total = serializers.IntegerField(allow_null=True, help_text="null: no end")


class PeriodOut(Output):
    """What is paid, or the trial."""

    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True, help_text="null: no end")


class LimitOut(Output):
    """What a subscription allows of a module, and how much of it is used."""

    module = serializers.CharField()
    limit = serializers.IntegerField()
    used = serializers.IntegerField()
    monthly = serializers.BooleanField(help_text="whether it begins anew each month (GET /subscription/usage)")


class SubscriptionOut(Output):
    """The company's subscription; with status none, and ids and dates null, for a company that has none."""

    _id = IdField(allow_null=True)
    status = serializers.ChoiceField(choices=[NONE, *Subscription.Status.values])
    isOpen = serializers.BooleanField(help_text="whether it gives the company access now")
    plan = Computed(
        PlanOut(allow_null=True, help_text="null: no plan; everything is included while the subscription is open")
    )
    interval = serializers.CharField(help_text="month, year, or empty")
    currency = serializers.CharField(help_text="ISO 4217 code of what is paid in, or empty")
    seats = Computed(SeatsOut())
    period = Computed(PeriodOut())
    startsAt = serializers.DateTimeField(allow_null=True)
    endsAt = serializers.DateTimeField(
        allow_null=True, help_text="when access ends if nothing else happens; null: it does not"
    )
    cancelAtPeriodEnd = serializers.BooleanField()
    modules = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text=PERMISSION_MODULES)
    limits = Computed(LimitOut(many=True))
    addOns = Computed(ItemOut(many=True, help_text="what it has beside the plan"))
    createdAt = serializers.DateTimeField(allow_null=True)
    updatedAt = serializers.DateTimeField(allow_null=True)


class SubscriptionPlans(SubscriptionOut):
    """The company's subscription, with the plans that are on offer."""

    plans = Computed(PlanOut(many=True))
    offeredAddOns = Computed(AddOnOut(many=True))
