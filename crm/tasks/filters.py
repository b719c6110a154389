"""The fields of the list of tasks."""

from __future__ import annotations

from datetime import datetime, time, timedelta

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField
from core.lists.fields import Condition, expression_column
from core.text.timezones import zone_of
from crm.activities.follow_up_filters import Overdue
from crm.activities.models import FollowUp
from crm.records.datetimes import company_timezone


class Today(ListField):
    """A filter: the task is open and due today, on the company's clock."""

    def __init__(self) -> None:
        super().__init__("today", "boolean", "status", sortable=False, nullable=False)

    def where(self, condition: Condition) -> Q:
        zone = zone_of(company_timezone())
        today = timezone.now().astimezone(zone).date()
        start = datetime.combine(today, time(), zone)
        end = datetime.combine(today + timedelta(days=1), time(), zone)
        due = Q(status=FollowUp.Status.OPEN, due_at__gte=start, due_at__lt=end)
        return condition(expression_column(ExpressionWrapper(due, output_field=BooleanField())))


TASK_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("notes", "text", "notes", searchable=True, nullable=False),
        ListField("type", "text", "type", nullable=False),
        ListField("priority", "text", "priority", nullable=False),
        ListField("dueAt", "date", "due_at", nullable=False),
        ListField("status", "text", "status", nullable=False),
        Overdue(),
        Today(),
        ListField("doneAt", "date", "done_at"),
        ListField("recurrence", "text", "recurrence"),
        ListField("lead", "id", "lead_id"),
        ListField("lead.contact", "id", "lead__contact_id"),
        ListField("lead.contact.name", "text", "lead__contact__name", searchable=True),
        ListField("contact", "id", "contact_id"),
        ListField("contact.name", "text", "contact__name", searchable=True),
        ListField("organization", "id", "organization_id"),
        ListField("organization.name", "text", "organization__name", searchable=True),
        ListField("assignee", "id", "assignee_id"),
        ListField("assignee.name", "text", "assignee__name", searchable=True),
        ListField("assignee.email", "text", "assignee__email", searchable=True),
        ListField("remindMinutes", "number", "remind_minutes"),
        ListField("remindedAt", "date", "reminded_at"),
        *authorship_fields(),
    ],
    default_sort=("createdAt",),
    default_search=("title", "notes"),
)
