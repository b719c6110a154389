"""The registrations of tasks."""

from __future__ import annotations

from datetime import timedelta

from core.api.routes import protected
from core.jobs import PeriodicTask, register
from crm.activities.tasks import purge_tasks
from crm.saved_views.lists import ViewedList, keep_views_of
from crm.tasks.filters import TASK_FIELDS
from crm.tasks.views import TaskViewSet

protected.register("task", TaskViewSet)
keep_views_of("task", ViewedList("lead-activity", TASK_FIELDS))
register(PeriodicTask("tasks", purge_tasks, every=timedelta(hours=1)))
