"""Use cases of teams: the members who work on leads together, and the default team."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection, transaction
from django.utils import timezone

from accounts.models import Member
from core.access import reserve_quota
from core.errors import NamedError
from core.events import emit
from core.lists import BulkSelection
from core.types import Values
from crm.records.writes.unique_names import save_unique_name
from crm.teams.locks import lock_teams
from crm.teams.models import Team, TeamMember

ACTIVE = (Member.Status.OWNER, Member.Status.ACCEPTED)
"""Statuses of memberships that may be in a team and be assigned leads."""
DEFAULT_NAME = "General"
TAKEN, NOT_FOUND = "TeamNameAlreadyExists_400", "TeamNotFound_400"

# Locks the leads in the order of their ids, as all bulk changes of leads do.
MOVE_LEADS = """
UPDATE crm_lead l SET team_id = %(team)s, updated_at = %(now)s, updated_by_id = %(actor)s
FROM (SELECT id, team_id FROM crm_lead WHERE team_id = ANY(%(teams)s) ORDER BY id FOR NO KEY UPDATE) AS old
WHERE l.id = old.id RETURNING l.id, old.team_id, l.is_deleted
"""


@dataclass(frozen=True, slots=True)
class MemberChanges:
    """Changes of a team's members, by their ids. With `members` None the current members stay."""

    members: Sequence[str] | None = None
    add: Sequence[str] = ()
    remove: Sequence[str] = ()
    availability: Mapping[str, bool] = field(default_factory=dict)


def seed_default_team() -> None:
    """Create the default team of the active company, with the owners in it, unless there is one."""
    if Team.objects.filter(is_default=True).exists() or Team.objects.filter(name__iexact=DEFAULT_NAME).update(
        is_default=True
    ):
        return
    team = Team.objects.create(name=DEFAULT_NAME, description="Gets leads without another team.", is_default=True)
    _add(team, Member.objects.filter(status=Member.Status.OWNER).values_list("pk", flat=True))


@transaction.atomic
def create_team(*, actor_id: str, values: Values, members: MemberChanges) -> Team:
    """Create a team with its members.

    Raises TeamNameAlreadyExists_400, MemberNotFound_404, MemberNotAccepted_400, PlanLimitExceeded_403.
    """
    reserve_quota("team")
    team = Team(created_by_id=actor_id, updated_by_id=actor_id, **values)
    save_unique_name(team, TAKEN)
    _change_members(team, members)
    return team


@transaction.atomic
def update_team(*, id: str, actor_id: str, values: Values, members: MemberChanges) -> Team:
    """Change the given values of a team, locked so that assignments of its leads wait.

    Raises TeamNotFound_400, and the errors of create_team.
    """
    team = Team.objects.select_for_update(of=("self",)).filter(pk=id).first()
    if team is None:
        raise not_found()
    for name, value in values.items():
        setattr(team, name, value)
    team.updated_by_id = actor_id
    save_unique_name(team, TAKEN)
    _change_members(team, members)
    return team


def not_found() -> NamedError:
    """Return the error of an id that belongs to no team of the company."""
    return NamedError(NOT_FOUND, "there is no such team in this company", field="id")


def _change_members(team: Team, changes: MemberChanges) -> None:
    present = set(TeamMember.objects.filter(team=team).values_list("member_id", flat=True))
    member_ids = present if changes.members is None else set(changes.members)
    member_ids = (member_ids | set(changes.add)) - set(changes.remove)
    strangers = [id for id in (*changes.remove, *changes.availability) if id not in present | member_ids]
    if strangers:
        raise NamedError("MemberNotFound_404", f"{', '.join(strangers[:5])} not in this team", field="members")
    check_members(member_ids - present)
    TeamMember.objects.filter(team=team, member_id__in=present - member_ids).delete()
    # In the given order, since members without any lead so far take turns in it.
    _add(team, [id for id in dict.fromkeys((*(changes.members or ()), *changes.add)) if id in member_ids - present])
    for available in (True, False):
        chosen = [id for id, value in changes.availability.items() if value is available]
        TeamMember.objects.filter(team=team, member_id__in=chosen).exclude(is_available=available).update(
            is_available=available, updated_at=timezone.now()
        )


def check_members(ids: Collection[str]) -> None:
    """Refuse members that the active company lacks, and those whose membership is not active.

    Raises MemberNotFound_404, MemberNotAccepted_400.
    """
    statuses = dict(Member.objects.filter(pk__in=ids).values_list("pk", "status")) if ids else {}
    missing = sorted(set(ids) - statuses.keys())
    if missing:
        raise NamedError(
            "MemberNotFound_404", f"there is no member {', '.join(missing[:5])} in this company", field="members"
        )
    refused = sorted(id for id, status in statuses.items() if status not in ACTIVE)
    if refused:
        raise NamedError(
            "MemberNotAccepted_400", f"choose active members; one is {statuses[refused[0]]}", field="members"
        )


def _add(team: Team, members: Collection[str]) -> None:
    # The same member may be added by two requests at once.
    TeamMember.objects.bulk_create([TeamMember(team=team, member_id=id) for id in members], ignore_conflicts=True)


@transaction.atomic
def delete_teams(*, actor_id: str, selection: BulkSelection, automation: bool = True) -> int:
    """Delete the selected teams and move their leads to the default team. Returns the number deleted.

    Raises CannotDeleteDefaultTeam_400, TeamNotFound_400 when ids name none, DefaultTeamNotFound_500.
    """
    lock_teams()
    teams = list(selection.apply(Team.objects.select_for_update(of=("self",))).order_by("pk"))
    default = next((team for team in teams if team.is_default), None)
    if default is not None:
        raise NamedError(
            "CannotDeleteDefaultTeam_400",
            f"{default.name} ({default.pk}) takes the leads of no team; leave it out by nids",
            field="ids",
        )
    if not teams and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a team of this company", field="ids")
    ids = [team.pk for team in teams]
    if ids:
        _move_leads(ids, actor_id, automation)
        TeamMember.objects.filter(team_id__in=ids).delete()
        # Django's, since forms and other records of higher apps refer to teams too.
        Team.objects.filter(pk__in=ids).delete()
    return len(ids)


def _move_leads(teams: list[str], actor_id: str, automation: bool) -> None:
    """Move the teams' leads, including deleted ones, to the default team."""
    default = Team.objects.filter(is_default=True).values_list("pk", flat=True).first()
    if default is None:
        raise NamedError(
            "DefaultTeamNotFound_500", "the company has no default team, to give the leads of these teams to"
        )
    with connection.cursor() as cursor:
        cursor.execute(MOVE_LEADS, {"team": default, "teams": teams, "actor": actor_id, "now": timezone.now()})
        moved = {id: team for id, team, is_deleted in cursor.fetchall() if not is_deleted}
    payloads = {id: {"changes": {"team": {"from": team, "to": default}}} for id, team in moved.items()}
    emit("lead.updated", sorted(moved), payloads=payloads, actor_id=actor_id, automation=automation)
