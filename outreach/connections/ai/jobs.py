"""The work of AI budgets."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from outreach.connections.ai.budgets import release_all_expired

register(PeriodicTask("outreach.expired_ai_calls", release_all_expired, every=timedelta(hours=1)))
