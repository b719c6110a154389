"""The work of entitlements."""

from __future__ import annotations

from datetime import timedelta

from billing.entitlements.use import tell_of_use
from core.jobs import PeriodicTask, register

register(PeriodicTask("use of limits", tell_of_use, every=timedelta(minutes=1)))
