"""Bodies and answers of tasks."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import IdList, Input, IntegerInput, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.activities.follow_up_serializers import DUE, REMIND
from crm.activities.models import FollowUp
from crm.activities.reminders import MAX_MINUTES
from crm.activities.tasks import RECORD_KINDS
from crm.leads.snapshots import MEMBER_READS
from crm.records.serializers import AutomationInput, member_of

MAX_RESTORED = 1000
RECORD = "the contact, lead or organization that it is about; null: none"
RECURRENCE = "when it is completed, the next one is created, on the clock of the company's time zone; null: never"
OWNER = "member id; without one it is the record's owner, or else who makes it; null: nobody"


class RecordInput(Input):
    """The record that a task is about."""

    kind = serializers.ChoiceField(choices=RECORD_KINDS)
    id = ObjectIdInput()
    # So that the record of an answer can be sent back.
    name = serializers.CharField(read_only=True)


class TaskChange(AutomationInput):
    """New values of tasks."""

    title = TextInput(max_length=300, required=False)
    notes = TextInput(max_length=20_000, allow_blank=True, required=False)
    type = serializers.ChoiceField(choices=FollowUp.Type.choices, required=False)
    priority = serializers.ChoiceField(choices=FollowUp.Priority.choices, required=False)
    dueAt = TextInput(max_length=40, required=False, help_text=DUE)
    assignee = ObjectIdInput(required=False, allow_null=True, help_text="member id; null: nobody")
    record = RecordInput(required=False, allow_null=True, help_text=RECORD)
    recurrence = serializers.ChoiceField(
        choices=FollowUp.Recurrence.choices, required=False, allow_null=True, help_text=RECURRENCE
    )
    remindMinutes = IntegerInput(min_value=0, max_value=MAX_MINUTES, required=False, allow_null=True, help_text=REMIND)
    status = serializers.ChoiceField(choices=FollowUp.Status.choices, required=False)


class TaskCreate(TaskChange):
    title = TextInput(max_length=300)
    dueAt = TextInput(max_length=40, help_text=DUE)
    assignee = ObjectIdInput(required=False, allow_null=True, help_text=OWNER)


class TaskUpdate(TaskChange):
    """New values of a task."""


class TaskBulkUpdate(SelectionInput, TaskChange):
    """New values of many tasks."""


class TaskDelete(SelectionInput, AutomationInput):
    """Tasks to delete."""


class TaskRestore(AutomationInput):
    """Deleted tasks to restore."""

    ids = IdList(max_length=MAX_RESTORED, help_text="_id of each task")


class TaskRecord(Output):
    """The record that a task is about."""

    kind = serializers.ChoiceField(choices=RECORD_KINDS)
    id = IdField()
    name = serializers.CharField(help_text="of a lead that of its contact; of contacts without a name their address")


class TaskOut(Output):
    """A task, about a contact, a lead, an organization or nothing."""

    moving = frozenset({"overdue", "remindedAt"})

    _id = IdField()
    title = serializers.CharField()
    notes = serializers.CharField()
    type = serializers.ChoiceField(choices=FollowUp.Type.choices)
    priority = serializers.ChoiceField(choices=FollowUp.Priority.choices)
    dueAt = serializers.DateTimeField()
    status = serializers.ChoiceField(choices=FollowUp.Status.choices)
    overdue = Computed(serializers.BooleanField(help_text="open, and due before now"))
    doneAt = serializers.DateTimeField(allow_null=True)
    record = Computed(TaskRecord(allow_null=True))
    assignee = Computed(MemberSnapshot(allow_null=True))
    recurrence = serializers.ChoiceField(choices=FollowUp.Recurrence.choices, allow_null=True, help_text=RECURRENCE)
    remindMinutes = serializers.IntegerField(allow_null=True, help_text=REMIND)
    remindedAt = serializers.DateTimeField(allow_null=True, help_text="when the mail was written")
    createdBy = Computed(MemberSnapshot(allow_null=True))
    updatedBy = Computed(MemberSnapshot(allow_null=True))
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    # References are put together here: cheaper than parsing an object of each out of JSON.
    reads = (
        *("lead_id", "lead__contact__name", "lead__contact__email"),
        *("contact_id", "contact__name", "contact__email"),
        *("organization_id", "organization__name"),
        *(f"{member}{part}" for member in ("assignee", "created_by", "updated_by") for part in MEMBER_READS),
    )

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["overdue"] = data["status"] == FollowUp.Status.OPEN and data["dueAt"] < timezone.now()
        data["record"] = _record_of(row)
        data["assignee"] = member_of(row, "assignee")
        data["createdBy"] = member_of(row, "created_by")
        data["updatedBy"] = member_of(row, "updated_by")
        return data


def _record_of(row: Values) -> JsonObject | None:
    """Return the record of a row."""
    names = {
        "lead": row["lead__contact__name"] or row["lead__contact__email"],
        "contact": row["contact__name"] or row["contact__email"],
        "organization": row["organization__name"],
    }
    kind = next((kind for kind in RECORD_KINDS if row[f"{kind}_id"]), None)
    return None if kind is None else {"kind": kind, "id": row[f"{kind}_id"], "name": names[kind] or ""}


class TasksUpdated(Output):
    """The numbers of tasks that a change matched and altered."""

    matchedCount = Computed(serializers.IntegerField())
    updatedCount = Computed(serializers.IntegerField())


class TasksRestored(Output):
    """The number of restored tasks."""

    restoredCount = Computed(serializers.IntegerField())
