"""The registrations of charges."""

from __future__ import annotations

from datetime import timedelta

from billing.charges.services import write_off_ended
from core.jobs import PeriodicTask, register

register(PeriodicTask("billing.given_up_charges", write_off_ended, every=timedelta(hours=1)))
