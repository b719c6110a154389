"""The registrations of the engine."""

from __future__ import annotations

from datetime import timedelta

from core.access import RATES, meter_usage
from core.jobs import PeriodicTask, QueueWork, register
from core.jobs.flights import CALL_SECONDS
from workflows.engine import counters, retention
from workflows.engine.limits import places
from workflows.engine.limits.limits import RUNS_A_MONTH, STARTS_A_SECOND, started_this_month
from workflows.engine.models import CALLS, WORK, RunCall
from workflows.engine.privacy import register_tables
from workflows.engine.tasks import due_rows, work
from workflows.engine.waits import calls

register(QueueWork(WORK, work, due_rows=due_rows, queue="workflows", task="workflows.run"))
register(PeriodicTask("workflow-retention", retention.delete_old, every=timedelta(hours=1)))
register(PeriodicTask("workflow-places", places.poll, every=timedelta(minutes=1)))
register(PeriodicTask("workflow-counts", counters.compact_hour, every=timedelta(minutes=1)))
# By the workers that may wait for a company's server: the tick and the slices never do.
register(
    QueueWork(
        CALLS,
        calls.drain,
        queue="ai",
        task="workflows.make_calls",
        model=RunCall,
        seconds=CALL_SECONDS,
        frees_claims=True,
    )
)
meter_usage(RUNS_A_MONTH, started_this_month)
RATES.add(STARTS_A_SECOND)
register_tables()
