"""The fields of the list of follow-ups."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils import timezone

from accounts.snapshots.filters import authorship_fields
from core.lists import FieldSet, ListField
from core.lists.fields import Condition, expression_column
from crm.activities.models import FollowUp


class Overdue(ListField):
    """A filter: the follow-up is open and its due time has passed."""

    def __init__(self) -> None:
        super().__init__("overdue", "boolean", "status", sortable=False, nullable=False)

    def where(self, condition: Condition) -> Q:
        overdue = Q(status=FollowUp.Status.OPEN, due_at__lt=timezone.now())
        return condition(expression_column(ExpressionWrapper(overdue, output_field=BooleanField())))


FOLLOW_UP_FIELDS = FieldSet(
    [
        ListField("_id", "id", "id", nullable=False),
        ListField("lead", "id", "lead_id", nullable=False),
        ListField("lead.status", "text", "lead__status", nullable=False),
        ListField("lead.contact", "id", "lead__contact_id", nullable=False),
        ListField("lead.contact.name", "text", "lead__contact__name", searchable=True, nullable=False),
        ListField("title", "text", "title", searchable=True, nullable=False),
        ListField("notes", "text", "notes", searchable=True, nullable=False),
        ListField("dueAt", "date", "due_at", nullable=False),
        ListField("status", "text", "status", nullable=False),
        Overdue(),
        ListField("doneAt", "date", "done_at"),
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
