"""The registrations of the engine."""

from __future__ import annotations

from core.access import RATES, meter_usage
from workflows.engine.limits.limits import RUNS_A_MONTH, STARTS_A_SECOND, started_this_month
from workflows.engine.privacy import register_tables

meter_usage(RUNS_A_MONTH, started_this_month)
RATES.add(STARTS_A_SECOND)
register_tables()
