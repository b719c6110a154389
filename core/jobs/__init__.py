"""Work: PostgreSQL owns it, Celery only notifies the workers.

Each kind of work is declared by `register(...)` (docs/adding-a-job.md). The tick (core.jobs.tasks) releases the work of
dead workers and notifies the workers of every kind that has due work. A lost, repeated or late notification changes
only the time (docs/decisions/0005-work.md).
"""

from core.jobs.heartbeat import Heartbeat, heartbeat
from core.jobs.leases import LeaseLost, backoff_delay, claim, has_due, release_after_error, update_owned
from core.jobs.notify import notify_workers
from core.jobs.periodic import PeriodicTask, run_due_tasks
from core.jobs.registry import WORK, DrainedWork, QueueWork, Work, queue_work_by_name, register, work_by_name
from core.jobs.runner import JobWork, finish, release, run_job, save_progress
from core.jobs.sweeper import sweep

__all__ = [
    "WORK",
    "DrainedWork",
    "Heartbeat",
    "JobWork",
    "LeaseLost",
    "PeriodicTask",
    "QueueWork",
    "Work",
    "backoff_delay",
    "save_progress",
    "claim",
    "queue_work_by_name",
    "finish",
    "has_due",
    "heartbeat",
    "notify_workers",
    "register",
    "work_by_name",
    "release",
    "run_due_tasks",
    "run_job",
    "sweep",
    "release_after_error",
    "update_owned",
]
