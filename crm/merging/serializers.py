"""Bodies and answers of merges."""

from __future__ import annotations

from django.utils import timezone
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import BooleanInput, IdList, ObjectIdInput, ObjectInput
from core.api.output import Computed, IdField, Output
from core.types import JsonObject, Values
from crm.contacts.kind import CONTACT
from crm.contacts.serializers import ContactOut
from crm.leads.kind import LEAD
from crm.leads.serializers import LeadOut
from crm.merging.services import MAX_RECORDS, MIN_RECORDS
from crm.organizations.kind import ORGANIZATION
from crm.organizations.serializers import OrganizationOut
from crm.records.kinds import RecordKind
from crm.records.serializers import AutomationInput


class MergeInput(AutomationInput):
    ids = IdList(
        min_length=MIN_RECORDS,
        max_length=MAX_RECORDS,
        help_text=f"{MIN_RECORDS} to {MAX_RECORDS} ids, the winner among them",
    )
    winner = ObjectIdInput(help_text="the record that stays")
    fillEmpty = BooleanInput(
        default=True, help_text="values that the winner lacks come from the first of the others that has them"
    )


def _choices(kind: RecordKind) -> ObjectInput:
    names = ", ".join(kind.parts)
    help_text = (
        f"key of a field ({names}, or a uniqueFieldID) -> _id of the record whose value is taken, or {{value: …}}"
    )
    return ObjectInput(default=dict, help_text=help_text)


class ContactMerge(MergeInput):
    choices = _choices(CONTACT)


class LeadMerge(MergeInput):
    choices = _choices(LEAD)


class OrganizationMerge(MergeInput):
    choices = _choices(ORGANIZATION)


class MergeUndo(AutomationInput):
    """Nothing but whether workflows may start."""


class MergeOut(Output):
    """Two or more records that became one."""

    _id = IdField()
    winner = IdField(source="winner_id")
    losers = serializers.ListField(child=IdField(), source="loser_ids")
    choices = serializers.DictField()
    moved = Computed(
        serializers.DictField(
            child=serializers.IntegerField(), help_text="reference -> how many rows went to the winner"
        )
    )
    undoUntil = serializers.DateTimeField()
    canUndo = Computed(serializers.BooleanField())
    undoneAt = serializers.DateTimeField(allow_null=True)
    undoneBy = MemberSnapshot()
    createdBy = MemberSnapshot()
    createdAt = serializers.DateTimeField()
    updatedAt = serializers.DateTimeField()

    reads = ("moved",)

    @classmethod
    def finish(cls, data: JsonObject, row: Values) -> JsonObject:
        moved = row["moved"]
        data["moved"] = {reference: sum(map(len, by_loser.values())) for reference, by_loser in sorted(moved.items())}
        data["canUndo"] = data["undoneAt"] is None and data["undoUntil"] > timezone.now()
        return data


class KeptOut(Output):
    """Values changed since the merge, which undoing it left alone."""

    resource = serializers.CharField(help_text="contact, lead, organization, or the name of what referred to it")
    _id = IdField()
    keys = Computed(serializers.ListField(child=serializers.CharField()))


class ContactMergeOut(MergeOut):
    """A merge of contacts, with the one that they became."""

    contact = Computed(ContactOut(allow_null=True))


class LeadMergeOut(MergeOut):
    """A merge of leads, with the one that they became."""

    lead = Computed(LeadOut(allow_null=True))


class OrganizationMergeOut(MergeOut):
    """A merge of organizations, with the one that they became."""

    organization = Computed(OrganizationOut(allow_null=True))


class MergeUndone(MergeOut):
    """A merge that was taken back."""

    kept = Computed(serializers.ListField(child=KeptOut(), help_text="what somebody has changed since stays"))


class ContactMergeUndone(MergeUndone):
    contacts = Computed(serializers.ListField(child=ContactOut(), help_text="the winner, and those that came back"))


class LeadMergeUndone(MergeUndone):
    leads = Computed(serializers.ListField(child=LeadOut(), help_text="the winner, and those that came back"))


class OrganizationMergeUndone(MergeUndone):
    organizations = Computed(
        serializers.ListField(child=OrganizationOut(), help_text="the winner, and those that came back")
    )
