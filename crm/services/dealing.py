"""Dealing new leads out to members, by the company's rule: in turn, to who has the fewest open leads, or by hand."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count

from accounts.models import Member
from accounts.settings import Distribution, LeadRule, lead_rule
from core.errors import Named
from core.tenancy import company_id
from crm.models import Lead, Team, TeamMember
from crm.services.teams import ACTIVE

NEVER = datetime.min.replace(tzinfo=UTC)
STEP = timedelta(microseconds=1)


@dataclass(slots=True)
class _Hand:
    """A member of a team who may be dealt leads. `load` counts open leads, where the rule asks for them."""

    link_id: str
    member_id: str
    dealt_at: datetime
    load: int = 0


def default_team() -> str | None:
    """The team that takes what is given to none."""
    return Team.objects.filter(is_default=True).values_list("pk", flat=True).first()


def deal(team_ids: Sequence[str | None], closed: Collection[str]) -> list[str | None]:
    """The members that new leads of these teams go to, in order; None where the rule is manual or nobody is available.

    DefaultTeamNotFound_500 for a lead of no team, since the default team takes these. To be called in the transaction that makes the leads:
    the teams (and, where open leads count, the members) stay locked until its end, so that those who deal at the same time wait for each
    other. `closed` are the statuses of leads that are no load.
    """
    rule = lead_rule(company_id())
    if rule.distribution == Distribution.MANUAL or not team_ids:
        return [None] * len(team_ids)
    teams = [team for team in team_ids if team]
    if len(teams) < len(team_ids):
        raise Named("DefaultTeamNotFound_500", "the company has no default team, to deal leads of no team to")
    hands = _hands(set(teams), rule)
    if rule.distribution == Distribution.LEAST_LOADED or rule.max_open_leads is not None:
        _count_loads(hands, closed)
    dealt = _deal(teams, hands, rule)
    _stamp([hand for hand in dealt if hand is not None], max((hand.dealt_at for team in hands.values() for hand in team), default=NEVER))
    return [hand.member_id if hand else None for hand in dealt]


def _hands(team_ids: Collection[str], rule: LeadRule) -> dict[str, list[_Hand]]:
    """Team -> the members that may be dealt leads, once the teams are locked."""
    list(Team.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=team_ids).order_by("pk").values_list("pk"))
    links = TeamMember.objects.filter(team_id__in=team_ids, member__status__in=ACTIVE)
    if rule.only_available:
        links = links.filter(is_available=True, member__user__is_active=True)
    found: dict[str, list[_Hand]] = defaultdict(list)
    for team, *values in links.order_by("created_at", "pk").values_list("team_id", "pk", "member_id", "dealt_at"):
        link, member, dealt_at = values
        found[team].append(_Hand(link, member, dealt_at or NEVER))
    return found


def _count_loads(hands: dict[str, list[_Hand]], closed: Collection[str]) -> None:
    """Give each member the number of their open leads, of whatever team; they stay locked, since they may be in several teams."""
    everybody = [hand for team in hands.values() for hand in team]
    members = {hand.member_id for hand in everybody}
    list(Member.objects.select_for_update(no_key=True, of=("self",)).filter(pk__in=members).order_by("pk").values_list("pk"))
    rows = Lead.objects.filter(team_member_id__in=members, is_deleted=False).exclude(status__in=closed).order_by()
    loads = dict(rows.values_list("team_member_id").annotate(number=Count("pk")))
    for hand in everybody:
        hand.load = loads.get(hand.member_id, 0)


def _deal(team_ids: Sequence[str], hands: dict[str, list[_Hand]], rule: LeadRule) -> list[_Hand | None]:
    """Who gets each lead. A member of several teams has one load in all of them."""
    loads = {hand.member_id: hand.load for team in hands.values() for hand in team}
    queues = {team: _queue(members, rule, loads) for team, members in hands.items()}
    turn = 0
    dealt: list[_Hand | None] = []
    for team in team_ids:
        hand = _next(queues.get(team, []), rule, loads)
        dealt.append(hand)
        if hand is not None:
            turn += 1
            loads[hand.member_id] += 1
            heapq.heappush(queues[team], (_weight(hand, rule, loads), (1, turn), hand.link_id, hand))
    return dealt


def _weight(hand: _Hand, rule: LeadRule, loads: dict[str, int]) -> int:
    return loads[hand.member_id] if rule.distribution == Distribution.LEAST_LOADED else 0


def _queue(members: Iterable[_Hand], rule: LeadRule, loads: dict[str, int]) -> list[Any]:
    """The members as a heap: by load where that counts, then by how long ago they were dealt a lead."""
    order = sorted(members, key=lambda hand: hand.dealt_at)
    queue = [(_weight(hand, rule, loads), (0, place), hand.link_id, hand) for place, hand in enumerate(order)]
    heapq.heapify(queue)
    return queue


def _next(queue: list[Any], rule: LeadRule, loads: dict[str, int]) -> _Hand | None:
    """Take whose turn it is from the heap; who has as many leads as the rule allows is out of it for good."""
    while queue:
        weight, place, link_id, hand = heapq.heappop(queue)
        if rule.max_open_leads is not None and loads[hand.member_id] >= rule.max_open_leads:
            continue
        current = _weight(hand, rule, loads)
        if current == weight:
            return hand
        heapq.heappush(queue, (current, place, link_id, hand))  # dealt a lead by another team meanwhile
    return None


def _stamp(dealt: Sequence[_Hand], latest: datetime) -> None:
    """Note when each was dealt their last lead, in the order of the deal and after `latest`, whatever the clock says."""
    last = {hand.link_id: place for place, hand in enumerate(dealt)}
    if not last:
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        start = max(cursor.fetchone()[0], latest + STEP)
        cursor.execute(
            "UPDATE crm_teammember t SET dealt_at = new.dealt_at FROM unnest(%s::text[], %s::timestamptz[]) AS new (id, dealt_at)"
            " WHERE t.id = new.id",
            [list(last), [start + place * STEP for place in last.values()]],
        )
