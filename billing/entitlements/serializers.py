"""Output of the company's subscription, with its limits and their use."""

from __future__ import annotations

from decimal import Decimal

from rest_framework import serializers

from billing.addons.serializers import AddOnOut, ItemOut
from billing.plans.serializers import PERMISSION_MODULES, PlanOut
from billing.subscriptions.models import Subscription
from billing.subscriptions.offers import CHANGES, change_to, paid_plan
from billing.subscriptions.selectors import primary_subscription
from core.access import GRACE, PAUSED
from core.api.output import Computed, IdField, Output
from core.types import JsonObject

NONE = "none"
"""The status of a company without a subscription."""


class SeatsOut(Output):
    """Seats of a subscription."""

    used = serializers.IntegerField(help_text="members, blocked ones among them, and open invites")
    total = serializers.IntegerField(allow_null=True, help_text="null: no end")


class PeriodOut(Output):
    """The paid period, from the start of the current period or the trial."""

    start = serializers.DateTimeField(allow_null=True)
    end = serializers.DateTimeField(allow_null=True, help_text="until when it is paid; null: no end")
    runsUntil = serializers.DateTimeField(
        allow_null=True, help_text="the end of the period that runs: earlier than `end` where others are paid ahead"
    )


class LimitOut(Output):
    """A module's limit in the subscription, with its usage."""

    module = serializers.CharField()
    limit = serializers.IntegerField()
    used = serializers.IntegerField()
    monthly = serializers.BooleanField(help_text="whether it begins anew each month (GET /subscription/usage)")


class NamedPlan(Output):
    """A plan by its name."""

    _id = IdField()
    name = serializers.CharField()


class ScheduledOut(Output):
    """The plan, interval and seats of the subscription's next period."""

    plan = Computed(NamedPlan())
    interval = serializers.CharField()
    seats = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField(help_text="when the paid period ends")


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
    scheduledChange = Computed(ScheduledOut(allow_null=True, help_text="the plan that it goes on with, if another"))
    scheduledSeats = serializers.IntegerField(allow_null=True, help_text="seats that the next period is bought with")
    pauseMonths = serializers.IntegerField(help_text="months that the plan lets it be paused for; 0: not at all")
    pausedUntil = serializers.DateTimeField(allow_null=True, help_text="when a paused one goes on by itself")
    phase = serializers.ChoiceField(
        choices=["", GRACE, PAUSED],
        help_text="grace: unpaid for half of the grace period, nothing new is sent or begun; paused: to look only",
    )
    graceAt = serializers.DateTimeField(
        allow_null=True, help_text="of one that is past due: from when on nothing new is sent or begun"
    )
    modules = serializers.ListField(child=serializers.CharField(), allow_null=True, help_text=PERMISSION_MODULES)
    limits = Computed(LimitOut(many=True))
    addOns = Computed(ItemOut(many=True, help_text="what it has beside the plan"))
    createdAt = serializers.DateTimeField(allow_null=True)
    updatedAt = serializers.DateTimeField(allow_null=True)


class PlanOffered(PlanOut):
    """A plan on offer, with its relation to the company's own."""

    current = Computed(serializers.BooleanField(help_text="the company pays for it"))
    change = Computed(
        serializers.ChoiceField(choices=CHANGES, help_text="by the interval that the company pays for; when: auto")
    )

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        plan = paid_plan(primary_subscription())
        for row in rows:
            amounts = {(price["currency"], price["interval"]): Decimal(str(price["amount"])) for price in row["prices"]}
            row["current"] = plan is not None and plan.plan_id == row["_id"]
            row["change"] = change_to(plan, row["_id"], plan.interval if plan else "month", amounts)
        return rows


class SubscriptionPlans(SubscriptionOut):
    """The company's subscription, with the plans that are on offer."""

    plans = Computed(PlanOffered(many=True))
    offeredAddOns = Computed(AddOnOut(many=True))
