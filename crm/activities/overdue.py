"""Notices of overdue tasks. The worker sends each once, in the transaction that takes the notice away."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet

from accounts.members.notices import notify
from accounts.settings.notices import Notice
from core.jobs.registry import Moment
from core.tenancy import company_scope
from core.text.translation import gettext_lazy as _
from core.types import JsonObject
from crm.activities.follow_ups import about_context, open_tasks
from crm.activities.models import FollowUp
from crm.activities.reminders import Reminder

OVERDUE = Notice("task.overdue", _("Task overdue"), "notice_task_overdue")


class OverdueNotice(Reminder):
    """The notice to the assignee of a task whose due time has passed."""

    def due(self, now: Moment) -> QuerySet[Any]:
        # A pending reminder goes first: it may take the place of the notice.
        pending = Q(remind_at__isnull=False, reminded_at=None)
        return self.rows().filter(~pending, notice_at__lte=now)

    def send(self, record: FollowUp) -> None:
        about = record.lead or record.contact or record.organization
        if about is not None and about.is_deleted:
            return
        with company_scope(record.company_id):
            notify(
                OVERDUE.key,
                {"task": record, **about_context(record)},
                members=[record.assignee],
                about=("task", record.pk),
            )

    def sent(self, now: datetime) -> JsonObject:
        return {"notice_at": None}


OVERDUE_NOTICE = OverdueNotice(open_tasks, OVERDUE.template, lambda task: [], at="notice_at")
