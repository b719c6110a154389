"""Follow-ups: tasks about a lead, with a due time and an assignee."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.mails.services import Letter
from core.errors import NamedError
from core.events import emit
from core.internals.django import raw_delete
from core.types import JsonObject, Values
from crm.activities.models import FollowUp
from crm.activities.participants import check_lead, check_member, first_active
from crm.activities.reminders import Reminder, schedule_reminder
from crm.activities.text import one_line
from crm.records.datetimes import read_datetime
from crm.records.writes.updates import Changes, event_value
from crm.teams.services import ACTIVE

Status = FollowUp.Status
RESCHEDULING = ("due_at", "remind_minutes", "assignee")
"""Changes that reschedule the reminder."""
EVENT_NAMES = {"due_at": "dueAt", "remind_minutes": "remindMinutes"}
"""Names of values in events, where they differ from the model's."""


def live_follow_ups() -> QuerySet[FollowUp]:
    """Return the follow-ups of the active company's live leads."""
    return FollowUp.objects.filter(lead__is_deleted=False)


@transaction.atomic
def create_follow_up(*, actor_id: str, values: Values, automation: bool = True) -> FollowUp:
    """Create a follow-up of a live lead. The default assignee is the lead's member, or else the member who creates it.

    `due_at` is text (crm.records.datetimes). Raises LeadNotFound_400, MemberNotFound_404, MemberNotAccepted_400 and
    InvalidFormat.
    """
    lead = check_lead(values["lead"])
    follow_up = FollowUp(lead=lead, created_by_id=actor_id, updated_by_id=actor_id)
    if "assignee" not in values:
        follow_up.assignee = first_active(lead.team_member_id, actor_id)
    _apply(follow_up, {name: value for name, value in values.items() if name != "lead"})
    schedule_reminder(follow_up, follow_up.due_at)
    follow_up.save()
    _emit("follow-up.created", follow_up, actor_id, automation, **_plan(follow_up))
    return follow_up


@transaction.atomic
def update_follow_up(*, id: str, actor_id: str | None, values: Values, automation: bool = True) -> FollowUp:
    """Change the given values of a follow-up; each status may follow any other.

    Raises LeadActivityNotFound_404 and the errors of create_follow_up.
    """
    follow_up = live_follow_ups().select_for_update(of=("self",)).filter(pk=id).first()
    if follow_up is None:
        raise not_found()
    status = follow_up.status
    changes = _apply(follow_up, values)
    if not changes:
        return follow_up
    reopened = follow_up.status == Status.OPEN != status and follow_up.reminded_at is None
    if reopened or any(EVENT_NAMES.get(name, name) in changes for name in RESCHEDULING):
        schedule_reminder(follow_up, follow_up.due_at)
    follow_up.updated_by_id = actor_id
    follow_up.save()
    done = follow_up.status == Status.DONE != status
    kind = "follow-up.completed" if done else "follow-up.updated"
    _emit(kind, follow_up, actor_id, automation, **{"from": status, "to": follow_up.status, "changes": changes})
    return follow_up


@transaction.atomic
def delete_follow_up(*, id: str, actor_id: str, automation: bool = True) -> None:
    """Delete a follow-up permanently; the activities created from it stay. Emits follow-up.deleted.

    Raises LeadActivityNotFound_404.
    """
    follow_up = live_follow_ups().select_for_update(of=("self",)).filter(pk=id).first()
    if follow_up is None:
        raise not_found()
    raw_delete(FollowUp.objects.filter(pk=id))  # nothing refers to follow-ups
    _emit("follow-up.deleted", follow_up, actor_id, automation, status=follow_up.status)


def not_found() -> NamedError:
    """Return the error for an id that belongs to no follow-up of the company."""
    return NamedError("LeadActivityNotFound_404", "there is no such follow-up in this company", field="id")


def _apply(follow_up: FollowUp, values: Values) -> Changes:
    """Set the values and those derived from them. Returns the differences, named as in events."""
    cleaned = dict(values)
    if "title" in cleaned:
        cleaned["title"] = one_line(cleaned["title"])
        if not cleaned["title"]:
            raise NamedError("InvalidInput_400", "enter a title", field="title")
    if "due_at" in cleaned:
        cleaned["due_at"] = read_datetime("dueAt", cleaned["due_at"])
    if cleaned.get("assignee") and cleaned["assignee"] != follow_up.assignee_id:
        check_member("assignee", cleaned["assignee"])
    changes: Changes = {}
    for name, value in cleaned.items():
        column = "assignee_id" if name == "assignee" else name
        before = getattr(follow_up, column)
        if before != value:
            setattr(follow_up, column, value)
            changes[EVENT_NAMES.get(name, name)] = {"from": event_value(before), "to": event_value(value)}
    if "status" in changes:
        follow_up.done_at = timezone.now() if follow_up.status == Status.DONE else None
    return changes


def event_payload(follow_up: FollowUp) -> JsonObject:
    """Return the payload of the event of a new task."""
    return {**_about(follow_up), **_plan(follow_up)}


def _about(follow_up: FollowUp) -> JsonObject:
    return {"lead": follow_up.lead_id, "title": follow_up.title}


def _plan(follow_up: FollowUp) -> JsonObject:
    return {"dueAt": event_value(follow_up.due_at), "assignee": follow_up.assignee_id}


def _emit(kind: str, follow_up: FollowUp, actor_id: str | None, automation: bool, **details: Any) -> None:
    payload = {**_about(follow_up), **details}
    emit(kind, [follow_up.pk], payloads={follow_up.pk: payload}, actor_id=actor_id, automation=automation)


def _with_reminders() -> QuerySet[FollowUp]:
    return FollowUp.objects.filter(status=Status.OPEN).select_related("lead__contact", "assignee")


def _letters(follow_up: FollowUp) -> list[Letter]:
    """Return the mail to the assignee, if they still belong to the company and the lead still exists."""
    member, lead = follow_up.assignee, follow_up.lead
    if member is None or member.status not in ACTIVE or lead.is_deleted:
        return []
    context = {
        "member": member,
        "follow_up": follow_up,
        "contact": lead.contact,
        "overdue": follow_up.due_at <= timezone.now(),
    }
    return [Letter(member.email, context)]


REMINDER = Reminder(_with_reminders, "follow_up_reminder", _letters)
