"""The periodic check of publishers' permissions."""

from __future__ import annotations

from datetime import timedelta

from core.jobs import PeriodicTask, register
from workflows.definitions.rechecks import pause_disallowed

register(PeriodicTask("workflow-rights", pause_disallowed, every=timedelta(minutes=1)))
