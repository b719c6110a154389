"""The registrations of meters."""

from __future__ import annotations

from datetime import timedelta

from billing.charges.services import before_charges_billed
from billing.meters.resumption import move_months
from billing.meters.services import Store, charge_ended, look_up_outcomes
from billing.subscriptions.pauses import subscription_resumed
from core.access.meters import set_meter_store
from core.jobs import PeriodicTask, register

register(PeriodicTask("billing.usage_outcomes", look_up_outcomes, every=timedelta(minutes=1)))
register(PeriodicTask("billing.usage_charges", charge_ended, every=timedelta(minutes=1)))
set_meter_store(Store())
before_charges_billed.connect(charge_ended)
subscription_resumed.connect(move_months)
