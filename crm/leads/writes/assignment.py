"""Assignment of new leads to members by the company's rule: in turn, or to the member with the fewest open leads."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.db import connection
from django.db.models import Count

from accounts.models import Member
from accounts.settings.groups import Distribution, LeadRule, lead_rule
from core.errors import NamedError
from core.tenancy import company_id, own_records
from crm.leads.models import Lead
from crm.teams.models import Team, TeamMember
from crm.teams.services import ACTIVE

NEVER = datetime.min.replace(tzinfo=UTC)
STEP = timedelta(microseconds=1)


@dataclass(slots=True, order=True)
class _Candidate:
    """A member of a team who may be assigned leads. `load` counts open leads, if the rule needs them."""

    link_id: str
    member_id: str
    last_assigned_at: datetime
    load: int = 0


Place = tuple[int, tuple[int, int], str, _Candidate]
"""A place in the heap of members: the load, the order, the id that decides between equal ones, and the member."""


def default_team() -> str | None:
    """Return the team of leads that have no other team."""
    return Team.objects.filter(is_default=True).values_list("pk", flat=True).first()


def assign(
    team_ids: Sequence[str | None], closed: Collection[str], *, among: Collection[str] | None = None
) -> list[str | None]:
    """Assign new leads of these teams. Returns their members in order, None where nobody gets the lead.

    A member whose role is limited to own leads gets their new ones. Nobody gets a lead where the rule is manual or no
    member is available. Call it in the transaction that creates the leads. The teams (and the members, if open leads
    count) stay locked until it ends, so that concurrent assignments wait. `closed` holds the statuses of leads that are
    not open; `among`, where given, the members who may be chosen. Raises DefaultTeamNotFound_500 for a lead of no team,
    since the default team takes these.
    """
    if own := own_records("lead"):
        return [own] * len(team_ids)
    rule = lead_rule(company_id())
    if rule.distribution == Distribution.MANUAL or not team_ids:
        return [None] * len(team_ids)
    teams = [team for team in team_ids if team]
    if len(teams) < len(team_ids):
        raise NamedError("DefaultTeamNotFound_500", "the company has no default team to assign leads without a team to")
    candidates = _candidates(set(teams), rule, among)
    if rule.distribution == Distribution.LEAST_LOADED or rule.max_open_leads is not None:
        _count_loads(candidates, closed)
    assigned = _assign(teams, candidates, rule)
    _stamp(
        [candidate for candidate in assigned if candidate is not None],
        max((candidate.last_assigned_at for team in candidates.values() for candidate in team), default=NEVER),
    )
    return [candidate.member_id if candidate else None for candidate in assigned]


def _candidates(
    team_ids: Collection[str], rule: LeadRule, among: Collection[str] | None
) -> dict[str, list[_Candidate]]:
    """Lock the teams. Returns team -> the members that may be assigned leads."""
    list(
        Team.objects.select_for_update(no_key=True, of=("self",))
        .filter(pk__in=team_ids)
        .order_by("pk")
        .values_list("pk")
    )
    # Read after the lock of the teams, so that it has what the last assignment has stamped.
    links = TeamMember.objects.filter(team_id__in=team_ids, member__status__in=ACTIVE)
    if among is not None:
        links = links.filter(member_id__in=among)
    if rule.only_available:
        links = links.filter(is_available=True, member__user__is_active=True)
    candidates: dict[str, list[_Candidate]] = defaultdict(list)
    for link in links.order_by("created_at", "pk").only("team_id", "member_id", "last_assigned_at"):
        candidates[link.team_id].append(_Candidate(link.pk, link.member_id, link.last_assigned_at or NEVER))
    return candidates


def _count_loads(candidates: dict[str, list[_Candidate]], closed: Collection[str]) -> None:
    """Lock the members, who may be in several teams, and count the open leads of each in all teams."""
    everybody = [candidate for team in candidates.values() for candidate in team]
    members = {candidate.member_id for candidate in everybody}
    # Locked by id: two imports that assign at once would count the same free members.
    list(
        Member.objects.select_for_update(no_key=True, of=("self",))
        .filter(pk__in=members)
        .order_by("pk")
        .values_list("pk")
    )
    # Members may be in several teams, so the locks of the teams alone would
    # not keep their loads from changing.
    rows = Lead.objects.filter(team_member_id__in=members, is_deleted=False).exclude(status__in=closed).order_by()
    loads = dict(rows.values_list("team_member_id").annotate(number=Count("pk")))
    for candidate in everybody:
        candidate.load = loads.get(candidate.member_id, 0)


def _assign(
    team_ids: Sequence[str], candidates: dict[str, list[_Candidate]], rule: LeadRule
) -> list[_Candidate | None]:
    """Choose the member of each lead. A member of several teams has one load in all of them."""
    loads = {candidate.member_id: candidate.load for team in candidates.values() for candidate in team}
    queues = {team: _queue(members, rule, loads) for team, members in candidates.items()}
    turn = 0
    assigned: list[_Candidate | None] = []
    for team in team_ids:
        candidate = _next(queues.get(team, []), rule, loads)
        assigned.append(candidate)
        if candidate is not None:
            turn += 1
            loads[candidate.member_id] += 1
            heapq.heappush(queues[team], (_weight(candidate, rule, loads), (1, turn), candidate.link_id, candidate))
    return assigned


def _weight(candidate: _Candidate, rule: LeadRule, loads: dict[str, int]) -> int:
    return loads[candidate.member_id] if rule.distribution == Distribution.LEAST_LOADED else 0


def _queue(members: Iterable[_Candidate], rule: LeadRule, loads: dict[str, int]) -> list[Place]:
    """Return the members as a heap: by load if it counts, then by the time of their last assignment."""
    order = sorted(members, key=lambda candidate: candidate.last_assigned_at)
    queue = [
        (_weight(candidate, rule, loads), (0, place), candidate.link_id, candidate)
        for place, candidate in enumerate(order)
    ]
    heapq.heapify(queue)
    return queue


def _next(queue: list[Place], rule: LeadRule, loads: dict[str, int]) -> _Candidate | None:
    """Pop the next member. A member with as many leads as the rule allows is removed from the heap permanently."""
    while queue:
        weight, place, link_id, candidate = heapq.heappop(queue)
        if rule.max_open_leads is not None and loads[candidate.member_id] >= rule.max_open_leads:
            continue
        current = _weight(candidate, rule, loads)
        if current == weight:
            return candidate
        heapq.heappush(queue, (current, place, link_id, candidate))  # got a lead of another team in the meantime
    return None


def _stamp(assigned: Sequence[_Candidate], latest: datetime) -> None:
    """Save the times of the members' last assignments, in the order of the leads and after `latest`."""
    last = {candidate.link_id: place for place, candidate in enumerate(assigned)}
    if not last:
        return
    with connection.cursor() as cursor:
        # The transaction's own now() may be older than the commit of the
        # assignment before, which had the lock then.
        cursor.execute("SELECT clock_timestamp()")
        # A clock may be set back. The order in turn must not depend on it.
        start = max(cursor.fetchone()[0], latest + STEP)
        cursor.execute(
            "UPDATE crm_teammember t SET dealt_at = new.assigned_at"
            " FROM unnest(%s::text[], %s::timestamptz[]) AS new (id, assigned_at)"
            " WHERE t.id = new.id",
            [list(last), [start + place * STEP for place in last.values()]],
        )
