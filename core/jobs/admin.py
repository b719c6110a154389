"""Back office page of periodic tasks."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from core.backoffice.admin import BackOfficeAdmin
from core.jobs.models import TaskSchedule
from core.text.labels.words import code_label
from core.text.translation import gettext_lazy as _


@admin.register(TaskSchedule)
class TaskScheduleAdmin(BackOfficeAdmin):
    """Periodic tasks: the next run of each, and the result of the last one."""

    icon = "update"
    operators_only = True
    list_display = ("task", "due_at", "done_at", "error_line")
    search_fields = ("name",)
    ordering = ("name",)
    commands = ("do_now",)

    @admin.display(description=_("task"), ordering="name")
    def task(self, schedule: TaskSchedule) -> str:
        return code_label(schedule.name)

    @admin.display(description=_("error"))
    def error_line(self, schedule: TaskSchedule) -> str:
        return schedule.error[:100]

    @admin.display(description=_("Run now"))
    def do_now(self, request: HttpRequest, rows: QuerySet[TaskSchedule]) -> None:
        for schedule in rows:
            TaskSchedule.objects.filter(pk=schedule.pk).update(due_at=timezone.now())
            self.log_change(request, schedule, _("Run now."))
        self.message_user(request, _("The task starts within two seconds."), messages.SUCCESS)
