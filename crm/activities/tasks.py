"""Use cases of tasks: one table for those of leads, which the contract calls follow-ups, and for all others.

Each change emits an event `task.…`, and of a lead's task an event `follow-up.…` as well, for clients that know only
follow-ups.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection, in_batches
from core.text.timezones import zone_of
from core.types import JsonObject, Values
from crm.activities.models import FollowUp
from crm.activities.participants import check_member, first_active
from crm.activities.recurrence import first_time, next_time
from crm.activities.reminders import schedule_reminder
from crm.activities.text import one_line
from crm.contacts.selectors import live_contacts
from crm.leads.selectors import live_leads
from crm.organizations.selectors import live_organizations
from crm.records.datetimes import company_timezone, read_datetime
from crm.records.writes.updates import Changes, event_value

Status = FollowUp.Status
RECORD_KINDS = ("lead", "contact", "organization")
"""The kinds of records that a task may be about."""
RESCHEDULING = ("dueAt", "remindMinutes", "assignee")
"""Changes that reschedule the reminder."""
EVENT_NAMES = {"due_at": "dueAt", "remind_minutes": "remindMinutes"}
"""Names of values in events, where they differ from the model's."""
COLUMNS = (
    *("lead", "contact", "organization", "title", "notes", "type", "priority", "due_at", "status", "done_at"),
    *("assignee", "recurrence", "recurrence_start", "next_task", "remind_minutes", "remind_at", "reminded_at"),
    *("notice_at", "updated_by", "updated_at"),
)
"""Columns that changes write."""
RESTORE_DAYS = 30
"""Days for which a deleted task can be restored."""
MAX_PURGED = 1000
LIVE: dict[str, tuple[Callable[[], QuerySet[Any]], str]] = {
    "lead": (live_leads, "LeadNotFound_400"),
    "contact": (live_contacts, "ContactNotFound_400"),
    "organization": (live_organizations, "OrganizationNotFound_400"),
}
"""Kind of record -> the live ones of the company, and the error of a missing one."""


@dataclass(frozen=True, slots=True)
class Change:
    """A changed task, with its status before and the differences."""

    task: FollowUp
    status: str
    changes: Changes

    @property
    def word(self) -> str:
        is_completed = self.task.status == Status.DONE != self.status
        return "completed" if is_completed else "updated"


def live_tasks() -> QuerySet[FollowUp]:
    """Return the tasks of the active company, without deleted ones and those of deleted records."""
    return _of_live_records(FollowUp.objects.filter(deleted_at=None))


def _of_live_records(tasks: QuerySet[FollowUp]) -> QuerySet[FollowUp]:
    for kind in RECORD_KINDS:
        tasks = tasks.filter(Q(**{kind: None}) | Q(**{f"{kind}__is_deleted": False}))
    return tasks


@transaction.atomic
def create_task(*, actor_id: str, values: Values, automation: bool = True) -> FollowUp:
    """Create a task. The default assignee is the record's owner, or else the member who creates it.

    `due_at` is text (crm.records.datetimes), `record` has `kind` and `id`. Raises LeadNotFound_400,
    ContactNotFound_400, OrganizationNotFound_400, MemberNotFound_404, MemberNotAccepted_400 and InvalidFormat.
    """
    task = FollowUp(created_by_id=actor_id, updated_by_id=actor_id)
    cleaned = _clean(values)
    owner_id = _check_record(cleaned)
    if "assignee" not in cleaned:
        task.assignee = first_active(owner_id, actor_id)
    elif cleaned["assignee"]:
        check_member("assignee", cleaned["assignee"])
    zone = zone_of(company_timezone())
    _assign(task, cleaned, zone)
    schedule_reminder(task, task.due_at)
    task.save()
    _emit_events("created", [task], _created_payload, actor_id, automation)
    _continue([task], actor_id, automation, zone)
    return task


@transaction.atomic
def update_task(
    *,
    id: str,
    actor_id: str | None,
    values: Values,
    automation: bool = True,
    tasks: QuerySet[FollowUp] | None = None,
) -> FollowUp:
    """Change the given values of a task, one of `tasks`; each status may follow any other.

    Completing a recurring task creates the next one, once. Raises TaskNotFound_404 and the errors of create_task.
    """
    task = _lock_task(id, tasks)
    cleaned = _clean(values)
    if cleaned.get("assignee") and cleaned["assignee"] != task.assignee_id:
        check_member("assignee", cleaned["assignee"])
    _check_record(cleaned)
    _change([task], cleaned, actor_id, automation)
    return task


@transaction.atomic
def update_tasks(
    *, actor_id: str, selection: BulkSelection, values: Values, automation: bool = True
) -> tuple[int, int]:
    """Change the given values of the selected tasks. Returns the number selected, and the number changed.

    Raises TaskNotFound_404 when ids name none, and the errors of create_task.
    """
    cleaned = _clean(values)
    if cleaned.get("assignee"):
        check_member("assignee", cleaned["assignee"])
    _check_record(cleaned)
    matched = 0
    changed = 0
    for ids in in_batches(selection.apply(live_tasks()), lock=True):
        tasks = list(FollowUp.objects.filter(pk__in=ids).order_by("pk"))
        matched += len(tasks)
        changed += _change(tasks, cleaned, actor_id, automation)
    if not matched and not selection.everything:
        raise none_of_them()
    return matched, changed


@transaction.atomic
def delete_task(*, id: str, actor_id: str, automation: bool = True, tasks: QuerySet[FollowUp] | None = None) -> None:
    """Delete a task, one of `tasks`; the activities created from it stay. Raises TaskNotFound_404."""
    _delete([_lock_task(id, tasks)], actor_id, automation)


@transaction.atomic
def delete_tasks(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Delete the selected tasks. Returns their number.

    Raises TaskNotFound_404 when ids name none.
    """
    deleted = 0
    for ids in in_batches(selection.apply(live_tasks()), lock=True):
        deleted += _delete(list(FollowUp.objects.filter(pk__in=ids)), actor_id, automation)
    if not deleted and not selection.everything:
        raise none_of_them()
    return deleted


@transaction.atomic
def restore_tasks(*, actor_id: str, ids: Collection[str], automation: bool = True) -> int:
    """Restore deleted tasks, all or none. Returns their number.

    Raises TaskNotFound_404 when one of them is missing or not deleted, or its record is deleted.
    """
    deleted = _of_live_records(FollowUp.objects.exclude(deleted_at=None))
    tasks = list(deleted.select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk"))
    if not tasks or len(tasks) != len(set(ids)):
        raise NamedError("TaskNotFound_404", "one of them is no deleted task of this company", field="ids")
    now = timezone.now()
    for task in tasks:
        task.deleted_at = None
        task.updated_by_id = actor_id
        task.updated_at = now
        if task.reminded_at is None:
            schedule_reminder(task, task.due_at)
    columns = ["deleted_at", "updated_by", "updated_at", "remind_at", "reminded_at"]
    FollowUp.objects.bulk_update(tasks, columns)
    _emit_events("restored", tasks, lambda task: {"status": task.status}, actor_id, automation)
    return len(tasks)


def purge_tasks() -> bool:
    """Delete tasks permanently that were deleted RESTORE_DAYS ago. Returns whether there may be more."""
    ended = timezone.now() - timedelta(days=RESTORE_DAYS)
    ids = list(FollowUp.objects.filter(deleted_at__lt=ended).values_list("pk", flat=True)[:MAX_PURGED])
    FollowUp.objects.filter(pk__in=ids).delete()
    return len(ids) == MAX_PURGED


def not_found() -> NamedError:
    """Return the error for an id that belongs to no task of the company."""
    return NamedError("TaskNotFound_404", "there is no such task in this company", field="id")


def none_of_them() -> NamedError:
    """Return the error for ids that name no task of the company."""
    return NamedError("TaskNotFound_404", "none of them is a task of this company", field="ids")


def _lock_task(id: str, tasks: QuerySet[FollowUp] | None) -> FollowUp:
    """Return the task, one of `tasks` (default: all), locked. Raises TaskNotFound_404."""
    rows = live_tasks() if tasks is None else tasks
    task = rows.select_for_update(of=("self",)).filter(pk=id).first()
    if task is None:
        raise not_found()
    return task


def _clean(values: Values) -> JsonObject:
    """Return the values by columns, with the due time read."""
    cleaned = dict(values)
    if "title" in cleaned:
        cleaned["title"] = one_line(cleaned["title"])
        if not cleaned["title"]:
            raise NamedError("InvalidInput_400", "enter a title", field="title")
    if "due_at" in cleaned:
        cleaned["due_at"] = read_datetime("dueAt", cleaned["due_at"])
    if "record" in cleaned:
        record = cleaned.pop("record") or {}
        cleaned |= {kind: record["id"] if record.get("kind") == kind else None for kind in RECORD_KINDS}
    return cleaned


def _check_record(cleaned: Values) -> str | None:
    """Refuse a record that the company lacks. Returns the member who looks after it."""
    for kind, (live, missing) in LIVE.items():
        id = cleaned.get(kind)
        if not id:
            continue
        record = live().filter(pk=id).first()
        if record is None:
            raise NamedError(missing, f"there is no {kind} {id} in this company", field="record")
        owner_id: str | None = getattr(record, "team_member_id" if kind == "lead" else "owner_id", None)
        return owner_id
    return None


def _change(tasks: Sequence[FollowUp], cleaned: Values, actor_id: str | None, automation: bool) -> int:
    """Write the values into the locked tasks. Returns the number that are different."""
    zone = zone_of(company_timezone())
    changed: list[Change] = []
    now = timezone.now()
    for task in tasks:
        status = task.status
        changes = _assign(task, cleaned, zone)
        if not changes:
            continue
        is_reopened = task.status == Status.OPEN != status and task.reminded_at is None
        if is_reopened or any(name in changes for name in RESCHEDULING):
            schedule_reminder(task, task.due_at)
        task.updated_by_id = actor_id
        task.updated_at = now
        changed.append(Change(task, status, changes))
    FollowUp.objects.bulk_update([change.task for change in changed], COLUMNS)
    payloads = {
        change.task.pk: {"from": change.status, "to": change.task.status, "changes": change.changes}
        for change in changed
    }
    for word in ("updated", "completed"):
        tasks_of_word = [change.task for change in changed if change.word == word]
        _emit_events(word, tasks_of_word, lambda task: payloads[task.pk], actor_id, automation)
    _continue([change.task for change in changed if change.word == "completed"], actor_id, automation, zone)
    _withdraw([change for change in changed if change.status == Status.DONE], actor_id, automation)
    return len(changed)


def _assign(task: FollowUp, cleaned: Values, zone: ZoneInfo) -> Changes:
    """Set the values and those derived from them. Returns the differences, named as in events."""
    changes: Changes = {}
    for name, value in cleaned.items():
        column = f"{name}_id" if name in ("assignee", *RECORD_KINDS) else name
        before = getattr(task, column)
        if before != value:
            setattr(task, column, value)
            changes[EVENT_NAMES.get(name, name)] = {"from": event_value(before), "to": event_value(value)}
    if "status" in changes:
        task.done_at = timezone.now() if task.status == Status.DONE else None
    if "recurrence" in changes or "dueAt" in changes:
        task.recurrence_start = first_time(task.due_at, zone) if task.recurrence else None
    if changes.keys() & {"dueAt", "status", "assignee"} or task._state.adding:
        is_ahead = task.status == Status.OPEN and task.due_at > timezone.now()
        task.notice_at = task.due_at if is_ahead else None
    return changes


def _continue(completed: Iterable[FollowUp], actor_id: str | None, automation: bool, zone: ZoneInfo) -> None:
    """Create the next occurrences of completed tasks, each once: a task that has one already gets no other."""
    now = timezone.now()
    done: list[FollowUp] = []
    following: list[FollowUp] = []
    for task in completed:
        if task.status != Status.DONE or not task.recurrence or not task.recurrence_start or task.next_task:
            continue
        due_at = next_time(task.recurrence, task.recurrence_start, max(task.due_at, now), zone)
        copied = ("lead_id", "contact_id", "organization_id", "title", "notes", "type", "priority", "assignee_id")
        repeated = ("recurrence", "recurrence_start", "remind_minutes", "created_by_id")
        values = {name: getattr(task, name) for name in (*copied, *repeated)}
        occurrence = FollowUp(**values, due_at=due_at, notice_at=due_at, updated_by_id=actor_id)
        schedule_reminder(occurrence, due_at)
        task.next_task = occurrence.pk
        done.append(task)
        following.append(occurrence)
    FollowUp.objects.bulk_create(following)
    FollowUp.objects.bulk_update(done, ["next_task"])
    _emit_events("created", following, _created_payload, actor_id, automation)


def _withdraw(reopened: Sequence[Change], actor_id: str | None, automation: bool) -> None:
    """Delete the next occurrences of tasks that are no longer completed, if nobody has changed them."""
    tasks = [change.task for change in reopened if change.task.next_task and change.task.status != Status.DONE]
    next_ids = [task.next_task for task in tasks]
    following = {
        task.pk: task for task in FollowUp.objects.select_for_update().filter(pk__in=next_ids, deleted_at=None)
    }
    withdrawn: list[FollowUp] = []
    for task in tasks:
        occurrence = following.get(task.next_task or "")
        if occurrence is None or _is_unchanged(occurrence, task):
            withdrawn += [] if occurrence is None else [occurrence]
            task.next_task = None
    FollowUp.objects.bulk_update(tasks, ["next_task"])
    _delete(withdrawn, actor_id, automation)


def _is_unchanged(occurrence: FollowUp, task: FollowUp) -> bool:
    same = ("title", "notes", "assignee_id", "recurrence_start")
    return occurrence.status == Status.OPEN and all(getattr(occurrence, name) == getattr(task, name) for name in same)


def _delete(tasks: Sequence[FollowUp], actor_id: str | None, automation: bool) -> int:
    """Delete the tasks and emit their events. Returns their number."""
    now = timezone.now()
    FollowUp.objects.filter(pk__in=[task.pk for task in tasks]).update(deleted_at=now, updated_at=now)
    _emit_events("deleted", tasks, lambda task: {"status": task.status}, actor_id, automation)
    return len(tasks)


def event_payload(task: FollowUp) -> JsonObject:
    """Return the payload of the event task.created."""
    return {**_about(task), **_created_payload(task)}


def _about(task: FollowUp) -> JsonObject:
    named = {kind: getattr(task, f"{kind}_id") for kind in RECORD_KINDS}
    return {**{kind: id for kind, id in named.items() if id}, "title": task.title}


def _created_payload(task: FollowUp) -> JsonObject:
    return {"dueAt": event_value(task.due_at), "assignee": task.assignee_id}


def _emit_events(
    word: str,
    tasks: Sequence[FollowUp],
    details: Callable[[FollowUp], JsonObject],
    actor_id: str | None,
    automation: bool,
) -> None:
    payloads = {task.pk: {**_about(task), **details(task)} for task in tasks}
    of_leads = [task.pk for task in tasks if task.lead_id]
    for kind, ids in ((f"task.{word}", list(payloads)), (f"follow-up.{word}", of_leads)):
        if ids:
            emit(kind, ids, payloads=payloads, actor_id=actor_id, automation=automation)
