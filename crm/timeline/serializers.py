"""Answers of timelines."""

from __future__ import annotations

from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.output import Computed, IdField, Output
from crm.activities.models import LeadActivity
from crm.tags.serializers import NamedModelSnapshot

DATA = (
    "what happened, as in `details` of GET /lead-activity; imported: import, fileName and, unless the import made the"
    " contact, changes; comment: comment, text, mentions and editedAt; follow_up: isOpen, whether the"
    " task is open now; mail: of a sent mail and of a reply text, and"
    " quoted, what the reply repeats; and the entry's notes, if it has any"
)


class Value(serializers.JSONField):
    """A text, a number, yes or no, or a list of them."""


TimelineChange = type(
    "TimelineChange",
    (Output,),
    {
        "__doc__": "A value that changed. Ids stand as the names of their records, options as their labels.",
        "__module__": __name__,
        "field": serializers.CharField(help_text="its name in the API, of a custom field the uniqueFieldID"),
        "name": serializers.CharField(help_text="its name for people"),
        "from": Value(allow_null=True, help_text="what it was; null: nothing, or not known"),
        "to": Value(allow_null=True, help_text="what it became"),
        "added": Value(allow_null=True, help_text="tags or products that were added to those it had"),
        "removed": Value(allow_null=True, help_text="tags or products that were taken from those it had"),
    },
)


class TimelineWorkflow(Output):
    """A workflow, with the name that it had when it did something."""

    _id = IdField()
    name = serializers.CharField()


class TimelineEntryOut(Output):
    """An event of a contact, an organization or one of their leads."""

    _id = IdField(help_text="of the activity; of the contact where it is its creation")
    kind = serializers.ChoiceField(choices=LeadActivity.Kind.choices)
    at = serializers.DateTimeField()
    workflow = Computed(TimelineWorkflow(allow_null=True, help_text="the workflow that did it; null: none"))
    actor = Computed(MemberSnapshot(allow_null=True, help_text="who did it; null: the service"))
    lead = IdField(allow_null=True, help_text="the lead that it happened to; null: the contact itself")
    contact = Computed(NamedModelSnapshot(allow_null=True, help_text="the person it is about; null: no person"))
    title = serializers.CharField(help_text="one line for people, such as Email and City changed")
    changes = Computed(
        serializers.ListField(
            child=TimelineChange(), help_text="of kinds changed, status, assigned and imported: what changed, in words"
        )
    )
    data = serializers.DictField(help_text=DATA)  # type: ignore[assignment]
