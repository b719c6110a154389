"""The work of meters."""

from __future__ import annotations

from datetime import timedelta

from billing.meters.services import charge_ended, look_up_outcomes
from core.jobs import PeriodicTask, register

register(PeriodicTask("billing.usage_outcomes", look_up_outcomes, every=timedelta(minutes=1)))
register(PeriodicTask("billing.usage_charges", charge_ended, every=timedelta(minutes=1)))
