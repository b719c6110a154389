"""The registrations of workflows' definitions."""

from __future__ import annotations

from core.access import count_usage
from workflows.definitions.selectors import kept_workflows

count_usage("workflow", kept_workflows)
