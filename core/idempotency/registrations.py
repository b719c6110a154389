"""The registrations of stored answers."""

from __future__ import annotations

from datetime import timedelta

from core.idempotency.services import purge
from core.jobs import PeriodicTask, register

register(PeriodicTask("idempotency-keys", purge, every=timedelta(hours=1)))
