"""Bodies and answers of teams."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.aggregates import JSONBAgg
from django.db.models import OuterRef, Subquery
from django.db.models.functions import JSONObject
from rest_framework import serializers

from accounts.snapshots.serializers import MemberSnapshot
from core.api.input import IdList, ObjectInput, TextInput
from core.api.output import Computed
from core.api.selection import SelectionInput
from core.errors import InvalidFormat
from core.fields import JSONField
from core.ids import is_id
from core.types import JsonObject
from crm.records.serializers import AutomationInput
from crm.tags.serializers import UNIQUE, NamedModelCreate, NamedModelOut, count_references, related_model
from crm.teams.models import Team, TeamMember
from crm.teams.services import MemberChanges

MAX_MEMBERS = 1000


class Availability(ObjectInput):
    """Member id -> whether leads are assigned to them in this team."""

    def to_internal_value(self, data: Any) -> dict[str, bool]:
        availability = super().to_internal_value(data)
        for id, value in availability.items():
            if not is_id(id):
                raise InvalidFormat("availability", id, "each key must be the id of a member")
            if not isinstance(value, bool):
                raise serializers.ValidationError(f"{id}: must be true or false", code="invalid")
        return availability


class TeamCreate(NamedModelCreate):
    members = IdList(required=False, max_length=MAX_MEMBERS, help_text="ids of all its members")
    availability = Availability(
        required=False, help_text="member id -> boolean: whether leads are assigned to them in this team (default true)"
    )


class TeamUpdate(TeamCreate):
    name = TextInput(max_length=200, required=False, help_text=UNIQUE)
    members = IdList(
        required=False, max_length=MAX_MEMBERS, help_text="ids of all its members, in place of those it has"
    )
    addMembers = IdList(required=False, max_length=MAX_MEMBERS, help_text="ids of members to add")
    removeMembers = IdList(required=False, max_length=MAX_MEMBERS, help_text="ids of members to take out")


class TeamDelete(SelectionInput, AutomationInput):
    """Teams to delete."""


def member_changes(data: JsonObject) -> MemberChanges:
    """Pop the changes of members from a body."""
    return MemberChanges(
        members=data.pop("members", None),
        add=data.pop("add_members", ()),
        remove=data.pop("remove_members", ()),
        availability=data.pop("availability", {}),
    )


class TeamMemberOut(MemberSnapshot):
    """A member of a team."""

    status = serializers.CharField(
        help_text="of the membership in the company; leads are assigned to accepted members and owners only"
    )
    isAvailable = serializers.BooleanField()


class TeamOut(NamedModelOut):
    moving = frozenset({"leadCount"})
    isDefault = serializers.BooleanField(help_text="takes leads that are given to no other team; cannot be deleted")
    members = Computed(serializers.ListField(child=TeamMemberOut()))
    leadCount = Computed(serializers.IntegerField(help_text="leads of the team, without deleted ones"))

    @classmethod
    def columns(cls) -> JsonObject:
        links = TeamMember.objects.filter(team=OuterRef("pk")).order_by().values("team")
        item = JSONObject(
            _id="member_id",
            name="member__name",
            email="member__email",
            status="member__status",
            isAvailable="is_available",
        )
        listed = links.annotate(listed=JSONBAgg(item, order_by=("member__name", "member_id"))).values("listed")
        return {**super().columns(), "members": Subquery(listed, output_field=JSONField())}

    @classmethod
    def finish(cls, data: JsonObject, row: Any) -> JsonObject:
        return {**data, "members": data["members"] or []}

    @classmethod
    def complete(cls, rows: list[JsonObject]) -> list[JsonObject]:
        leads = count_references(related_model(Team, "leads"), "team", rows, is_deleted=False)
        return [{**row, "leadCount": leads.get(row["_id"], 0)} for row in rows]
