"""The registrations of tasks."""

from __future__ import annotations

from crm.saved_views.lists import ViewedList, keep_views_of
from crm.tasks.filters import TASK_FIELDS

keep_views_of("task", ViewedList("lead-activity", TASK_FIELDS))
