"""The registrations of taxes."""

from __future__ import annotations

from datetime import timedelta

from billing.taxes.vies import ask_vies
from core.jobs import PeriodicTask, register

register(PeriodicTask("billing.vies", ask_vies, every=timedelta(minutes=5)))
