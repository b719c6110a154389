"""Endpoints of teams (contract 4.4)."""

from __future__ import annotations

from rest_framework.request import Request

from core.api.endpoint import endpoint
from core.api.listing import Listing
from core.api.output import Deleted
from core.api.viewsets import ResourceViewSet
from core.types import JsonObject
from crm.teams.filters import TEAM_FIELDS
from crm.teams.models import Team
from crm.teams.serializers import TeamCreate, TeamDelete, TeamOut, TeamUpdate, member_changes
from crm.teams.services import create_team, delete_teams, not_found, update_team

MEMBER_ERRORS = ("TeamNameAlreadyExists_400", "MemberNotFound_404", "MemberNotAccepted_400")


class TeamViewSet(ResourceViewSet):
    module = "team"
    nothing_selected = "NoTeamSelected_400"
    listing = Listing("List teams", Team.objects.all, TEAM_FIELDS, TeamOut)

    @endpoint(
        "Create a team",
        input=TeamCreate,
        output=TeamOut,
        quota_module="team",
        success="TeamCreated_201",
        errors=(*MEMBER_ERRORS, "PlanLimitExceeded_403"),
    )
    def create(self, request: Request, data: JsonObject) -> object:
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
    def bulk_destroy(self, request: Request, data: JsonObject) -> object:
        deleted = delete_teams(
            actor_id=self.actor.member_id, selection=self.selection(), automation=data["automation"] != "skip"
        )
        return {"deletedCount": deleted}

    @endpoint("Read a team", output=TeamOut, errors=("TeamNotFound_400",))
    def retrieve(self, request: Request, id: str) -> object:
        return self._team_data(id)

    @endpoint(
        "Update a team",
        input=TeamUpdate,
        output=TeamOut,
        success="TeamUpdated_200",
        errors=("TeamNotFound_400", *MEMBER_ERRORS),
        description="What is not given stays. members replaces the team's members, addMembers and removeMembers change"
        " them.",
    )
    def update(self, request: Request, id: str, data: JsonObject) -> object:
        members = member_changes(data)
        update_team(id=id, actor_id=self.actor.member_id, values=data, members=members)
        return self._team_data(id)

    def _team_data(self, id: str) -> JsonObject:
        team = TeamOut.one(Team.objects.filter(pk=id))
        if team is None:
            raise not_found()
        return team
