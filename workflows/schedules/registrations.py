"""The registrations of schedules."""

from __future__ import annotations

from core.jobs import QueueWork, register
from workflows.schedules.due import due_schedules, fire_due

register(
    QueueWork(
        "workflow-schedules", fire_due, due_rows=due_schedules, queue="workflows", task="workflows.start_scheduled"
    )
)
