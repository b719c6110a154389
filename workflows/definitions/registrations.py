"""The registrations of workflows' definitions."""

from __future__ import annotations

from datetime import timedelta

from core.access import count_usage
from core.api.routes import protected
from core.jobs import PeriodicTask, register
from workflows.definitions.rechecks import pause_disallowed
from workflows.definitions.selectors import kept_workflows
from workflows.definitions.views import WorkflowViewSet

protected.register("workflow", WorkflowViewSet)
register(PeriodicTask("workflow-rights", pause_disallowed, every=timedelta(minutes=1)))
count_usage("workflow", kept_workflows)
