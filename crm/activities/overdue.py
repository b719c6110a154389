"""Notices of overdue tasks. The worker sends each once, in the transaction that takes the notice away."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from accounts.members.notices import notify
from accounts.settings.notices import Notice
from core.jobs.registry import Moment
from core.tenancy import company_scope
from core.text.translation import gettext_lazy as _
from core.types import JsonObject
from crm.activities.models import FollowUp
from crm.activities.reminders import Reminder

OVERDUE = Notice("task.overdue", _("Task overdue"), "notice_task_overdue")


class OverdueNotice(Reminder):
    """The notice to the assignee of a task whose due time has passed."""

    def due(self, now: Moment) -> QuerySet[Any]:
        return self.rows().filter(notice_at__lte=now)

    def send(self, record: FollowUp) -> None:
        about = record.lead or record.contact or record.organization
        if about is not None and about.is_deleted:
            return
        with company_scope(record.company_id):
            notify(OVERDUE.key, {"task": record}, members=[record.assignee], about=("task", record.pk))

    def sent(self, now: datetime) -> JsonObject:
        return {"notice_at": None}


def _open_tasks() -> QuerySet[FollowUp]:
    related = ("lead", "contact", "organization", "assignee")
    return FollowUp.objects.filter(status=FollowUp.Status.OPEN, deleted_at=None).select_related(*related)


OVERDUE_NOTICE = OverdueNotice(_open_tasks, OVERDUE.template, lambda task: [], at="notice_at")
