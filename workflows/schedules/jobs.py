"""The work of schedules."""

from __future__ import annotations

from core.jobs import QueueWork, register
from workflows.schedules.due import fire_due, has_due

register(
    QueueWork("workflow-schedules", fire_due, has_due=has_due, queue="workflows", task="workflows.start_scheduled")
)
