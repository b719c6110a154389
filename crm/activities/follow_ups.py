"""Follow-ups: the tasks of leads, as the contract has them."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Case, F, QuerySet, When
from django.utils import timezone

from accounts.mails.services import Letter
from core.errors import NamedError
from core.types import JsonObject, Values
from crm.activities import tasks
from crm.activities.models import FollowUp
from crm.activities.participants import check_lead
from crm.activities.reminders import Reminder
from crm.teams.services import ACTIVE

Status = FollowUp.Status


def live_follow_ups() -> QuerySet[FollowUp]:
    """Return the follow-ups of the active company's live leads."""
    return FollowUp.objects.filter(lead__is_deleted=False, deleted_at=None)


def create_follow_up(*, actor_id: str, values: Values, automation: bool = True) -> FollowUp:
    """Create a task of a live lead. The default assignee is the lead's member, or else the member who creates it.

    `due_at` is text (crm.records.datetimes). Raises LeadNotFound_400, MemberNotFound_404, MemberNotAccepted_400 and
    InvalidFormat.
    """
    lead = check_lead(values["lead"])
    return tasks.create_task(
        actor_id=actor_id,
        values={**{name: value for name, value in values.items() if name != "lead"}, "lead": lead.pk},
        automation=automation,
    )


def update_follow_up(*, id: str, actor_id: str | None, values: Values, automation: bool = True) -> FollowUp:
    """Change the given values of a lead's task; each status may follow any other.

    Raises LeadActivityNotFound_404 and the errors of create_follow_up.
    """
    check_follow_up(id)
    return tasks.update_task(id=id, actor_id=actor_id, values=values, automation=automation, tasks=live_follow_ups())


def delete_follow_up(*, id: str, actor_id: str, automation: bool = True) -> None:
    """Delete a lead's task. Raises LeadActivityNotFound_404."""
    check_follow_up(id)
    tasks.delete_task(id=id, actor_id=actor_id, automation=automation, tasks=live_follow_ups())


def check_follow_up(id: str) -> None:
    """Refuse an id that belongs to no follow-up of the company. Raises LeadActivityNotFound_404."""
    if not live_follow_ups().filter(pk=id).exists():
        raise not_found()


def not_found() -> NamedError:
    """Return the error for an id that belongs to no follow-up of the company."""
    return NamedError("LeadActivityNotFound_404", "there is no such follow-up in this company", field="id")


def event_payload(follow_up: FollowUp) -> JsonObject:
    """Return the payload of the event of a new task."""
    return tasks.event_payload(follow_up)


def open_tasks() -> QuerySet[FollowUp]:
    """Return the open tasks with all that mails about them name."""
    return FollowUp.objects.filter(status=Status.OPEN, deleted_at=None).select_related(
        "lead__contact", "contact", "organization", "assignee"
    )


class TaskReminder(Reminder):
    """The reminder of a task. Sent when the task is due or later, it takes the place of the overdue notice."""

    def sent(self, now: datetime) -> JsonObject:
        notice_at = Case(When(due_at__lte=now, then=None), default=F("notice_at"))
        return {**super().sent(now), "notice_at": notice_at}


def about_context(task: FollowUp) -> JsonObject:
    """Return what mails about a task name it with: the contact of its record, or the organization."""
    return {"contact": task.lead.contact if task.lead else task.contact, "organization": task.organization}


def _letters(task: FollowUp) -> list[Letter]:
    """Return the mail to the assignee, if they still belong to the company and the record still exists."""
    member = task.assignee
    record = task.lead or task.contact or task.organization
    if member is None or member.status not in ACTIVE or (record is not None and record.is_deleted):
        return []
    context = {
        "member": member,
        "follow_up": task,
        **about_context(task),
        "overdue": task.due_at <= timezone.now(),
    }
    return [Letter(member.email, context)]


REMINDER = TaskReminder(open_tasks, "follow_up_reminder", _letters)
