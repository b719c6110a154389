"""The registrations of tasks."""

from __future__ import annotations

from core.api.routes import protected
from crm.saved_views.lists import ViewedList, keep_views_of
from crm.tasks.filters import TASK_FIELDS
from crm.tasks.views import TaskViewSet

protected.register("task", TaskViewSet)
keep_views_of("task", ViewedList("lead-activity", TASK_FIELDS))
