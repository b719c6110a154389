"""Endpoints of teams (contract 4.4)."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, QuerySet
from rest_framework.request import Request

from accounts.members.snapshots import Deleted
from core.api.endpoint import endpoint
from core.api.views import ApiView
from core.errors import NamedError
from core.lists import BulkSelection, FieldSet, ListField, ManyField
from crm.tags.views import LABEL_FIELDS
from crm.teams.models import Team, TeamMember
from crm.teams.serializers import TeamCreate, TeamDelete, TeamOut, TeamUpdate, member_changes
from crm.teams.services import create_team, delete_teams, not_found, update_team


def _members() -> QuerySet[TeamMember]:
    return TeamMember.objects.filter(team=OuterRef("pk"))


TEAM_FIELDS = FieldSet(
    [
        *LABEL_FIELDS.fields.values(),
        ListField("isDefault", "boolean", "is_default", nullable=False),
        ManyField("members", "id", _members, "member_id"),
        ManyField("members.name", "text", _members, "member__name", searchable=True),
        ManyField("members.email", "text", _members, "member__email", searchable=True),
    ],
    default_search=("name", "description"),
)
MEMBER_ERRORS = ("TeamNameAlreadyExists_400", "MemberNotFound_404", "MemberNotAccepted_400")


class Teams(ApiView):
    module = "team"

    @endpoint("List teams", output=TeamOut, many=True)
    def get(self, request: Request) -> Any:
        return self.list_response(Team.objects.all(), TEAM_FIELDS, TeamOut)

    @endpoint(
        "Create a team",
        input=TeamCreate,
        output=TeamOut,
        takes="team",
        success="TeamCreated_201",
        errors=(*MEMBER_ERRORS, "PlanLimitExceeded_403"),
    )
    def post(self, request: Request, data: dict[str, Any]) -> Any:
        members = member_changes(data)
        team = create_team(actor_id=self.actor.member_id, values=data, members=members)
        return TeamOut.one(Team.objects.filter(pk=team.pk))

    @endpoint(
        "Delete teams",
        input=TeamDelete,
        output=Deleted,
        bulk=True,
        success="TeamsDeleted_200",
        errors=("CannotDeleteDefaultTeam_400", "NoTeamSelected_400", "TeamNotFound_400", "DefaultTeamNotFound_500"),
        description="Their leads go to the default team, which cannot be deleted. Emits lead.updated for each lead.",
    )
    def delete(self, request: Request, data: dict[str, Any]) -> Any:
        if not data["select_all"] and not data.get("ids"):
            raise NamedError(
                "NoTeamSelected_400",
                "ids: name the teams in ids, or set selectAll to true to delete all that match the query string",
            )
        selection = BulkSelection.parse(request.data, request.query_params, TEAM_FIELDS)
        deleted = delete_teams(
            actor_id=self.actor.member_id, selection=selection, automation=data["automation"] == "run"
        )
        return {"deletedCount": deleted}


class TeamDetail(ApiView):
    module = "team"

    @endpoint("Read a team", output=TeamOut, errors=("TeamNotFound_400",))
    def get(self, request: Request, id: str) -> Any:
        return self._one(id)

    @endpoint(
        "Update a team",
        input=TeamUpdate,
        output=TeamOut,
        success="TeamUpdated_200",
        errors=("TeamNotFound_400", *MEMBER_ERRORS),
        description="What is not given stays. members replaces the team's members, addMembers and removeMembers change them.",
    )
    def put(self, request: Request, id: str, data: dict[str, Any]) -> Any:
        members = member_changes(data)
        update_team(id=id, actor_id=self.actor.member_id, values=data, members=members)
        return self._one(id)

    def _one(self, id: str) -> dict[str, Any]:
        found = TeamOut.one(Team.objects.filter(pk=id))
        if found is None:
            raise not_found()
        return found
