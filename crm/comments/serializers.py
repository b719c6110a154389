"""Bodies and answers of comments."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import IdList, Input, ObjectIdInput, TextInput
from core.api.output import Computed, IdField, Output
from core.api.selection import SelectionInput
from core.types import JsonObject, Values
from crm.comments.mentions import MAX_MENTIONS
from crm.comments.models import RECORD_KINDS
from crm.comments.selectors import mention_columns
from crm.comments.services import MAX_TEXT
from crm.leads.snapshots import MEMBER_READS
from crm.records.serializers import AutomationInput, member_of

MAX_RESTORED = 1000
TEXT = "plain text; @ and the name or the email address of a member mentions them"
MENTIONS = "ids of members to mention besides those whom the text names"


class CommentedRecordInput(Input):
    """The record that is commented on."""

    kind = serializers.ChoiceField(choices=RECORD_KINDS)
    id = ObjectIdInput()


class CommentUpdate(AutomationInput):
    """New values of a comment."""

    text = TextInput(max_length=MAX_TEXT, required=False, help_text=TEXT)
    mentions = IdList(required=False, max_length=MAX_MENTIONS, help_text=MENTIONS)


class CommentCreate(CommentUpdate):
    """A comment on a record."""

    text = TextInput(max_length=MAX_TEXT, help_text=TEXT)
    record = CommentedRecordInput()


class CommentDelete(SelectionInput, AutomationInput):
    """Comments to delete."""


class CommentRestore(AutomationInput):
    """Deleted comments to restore."""

    ids = IdList(max_length=MAX_RESTORED, help_text="_id of each comment")


class Restored(Output):
    """The number of restored records."""

    restoredCount = Computed(serializers.IntegerField())


class CommentedRecord(Output):
    """The record that is commented on."""

    kind = serializers.ChoiceField(choices=RECORD_KINDS)
    id = IdField()
    name = serializers.CharField(help_text="of a lead that of its contact, of a task its title")


class MentionOut(MemberSnapshot):
    """A mentioned member."""

    label = serializers.CharField(  # type: ignore[assignment]
        help_text="what follows the @ in the text; empty: the text does not name them"
    )


class CommentOut(Output):
    """A comment on a contact, a lead, an organization or a task."""

    _id = IdField()
    text = serializers.CharField()
    record = Computed(CommentedRecord())
    mentions = Computed(serializers.ListField(child=MentionOut()))
    createdBy = Computed(MemberSnapshot(allow_null=True))
    editedAt = serializers.DateTimeField(allow_null=True, help_text="null: never edited")
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = (
        *("lead_id", "lead__contact__name", "lead__contact__email"),
        *("contact_id", "contact__name", "contact__email"),
        *("organization_id", "organization__name", "task_id", "task__title"),
        *(f"created_by{part}" for part in MEMBER_READS),
    )

    @classmethod
    def columns(cls) -> JsonObject:
        return {**super().columns(), "mentions": mention_columns()}

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        data["record"] = _record_of(row)
        data["mentions"] = data["mentions"] or []
        data["createdBy"] = member_of(row, "created_by")
        return data


def _record_of(row: Values) -> JsonObject:
    """Return the record of a row."""
    names = {
        "lead": row["lead__contact__name"] or row["lead__contact__email"],
        "contact": row["contact__name"] or row["contact__email"],
        "organization": row["organization__name"],
        "task": row["task__title"],
    }
    kind = next(kind for kind in RECORD_KINDS if row[f"{kind}_id"])
    return {"kind": kind, "id": row[f"{kind}_id"], "name": names[kind] or ""}
