"""Assignment of new leads: in turn, by load, by hand; one at a time, in bulk, and by many at once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from core.tenancy import company_scope
from crm.leads.relations import Relations
from crm.leads.services import create_lead
from crm.models import Contact, Lead, Team, TeamMember
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import default_team, make, member, set_duplicates, set_rule, team_of
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactFactory


def items(count: int, start: int = 1, **values: Any) -> list[dict[str, Any]]:
    return [form(n, **values) for n in range(start, start + count)]


def leads_by_member(cast: Cast) -> dict[str | None, int]:
    """Return member -> number of leads."""
    with cast.scope():
        return dict(Counter(Lead.objects.filter(is_deleted=False).values_list("team_member_id", flat=True)))


def in_order(cast: Cast, team: Team, count: int, start: int = 1) -> list[str | None]:
    made = cast.key.post("/lead/bulk", {"formData": items(count, start), "team": team.pk}).data["created"]
    return [found["teamMember"] and found["teamMember"]["_id"] for found in made]


def test_by_hand_leads_are_nobodys_and_the_default_teams(cast: Cast) -> None:
    with cast.scope():
        team = default_team()
        TeamMember.objects.create(team=team, member=cast.owner)
    for rule in (None, "manual"):
        if rule:
            with cast.scope():
                set_rule(rule)
        made = make(cast, 1 if rule else 2)
        assert (made["team"]["_id"], made["teamMember"]) == (team.pk, None)


def test_in_turn_one_at_a_time_and_many_at_once(cast: Cast) -> None:
    with cast.scope():
        ann, bob, cid = (member(name=name) for name in ("Ann", "Bob", "Cid"))
        team = team_of("North", ann, bob, cid)
        set_rule("roundRobin")
    one_by_one = [make(cast, n, team=team.pk)["teamMember"]["_id"] for n in range(1, 5)]
    assert one_by_one == [ann.pk, bob.pk, cid.pk, ann.pk]
    assert in_order(cast, team, 4, 10) == [bob.pk, cid.pk, ann.pk, bob.pk]
    assert make(cast, 20, team=team.pk)["teamMember"]["_id"] == cid.pk


def test_each_team_has_its_own_turn_and_the_default_team_takes_the_rest(cast: Cast) -> None:
    with cast.scope():
        ann, bob = member(), member()
        north, south, rest = team_of("North", ann, bob), team_of("South", bob, ann), default_team()
        TeamMember.objects.create(team=rest, member=cast.owner)
        set_rule("roundRobin")
    bodies = [{**item, "team": team.pk} for item, team in zip(items(4), (north, south, north, south), strict=True)]
    made = cast.key.post("/lead/bulk", {"formData": [*bodies, form(5)]}).data["created"]
    assert [found["teamMember"]["_id"] for found in made] == [ann.pk, bob.pk, bob.pk, ann.pk, cast.owner.pk]
    assert made[4]["team"]["_id"] == rest.pk


def test_who_is_named_gets_the_lead_and_the_turn_stays(cast: Cast) -> None:
    with cast.scope():
        ann, bob = member(), member()
        team = team_of("North", ann, bob)
        set_rule("roundRobin")
    assert make(cast, 1, team=team.pk, teamMember=bob.pk)["teamMember"]["_id"] == bob.pk
    assert in_order(cast, team, 2, 2) == [ann.pk, bob.pk]


def test_who_is_away_blocked_or_shut_out_is_passed_over(cast: Cast) -> None:
    with cast.scope():
        ann, away, blocked, shut = member(), member(), member(), member()
        team = team_of("North", ann, away, blocked, shut)
        TeamMember.objects.filter(member=away).update(is_available=False)
        Member.objects.filter(pk=blocked.pk).update(status="blocked")
        shut.user.is_active = False
        shut.user.save()
        set_rule("roundRobin")
    assert in_order(cast, team, 3) == [ann.pk] * 3
    with cast.scope():
        set_rule("roundRobin", onlyAvailable=False)
    assert set(in_order(cast, team, 3, 10)) == {ann.pk, away.pk, shut.pk}
    with cast.scope():
        TeamMember.objects.filter(team=team).delete()
    assert in_order(cast, team, 1, 20) == [None]


def test_least_loaded_counts_open_leads_of_all_teams(cast: Cast) -> None:
    with cast.scope():
        ann, bob = member(), member()
        team, other = team_of("North", ann, bob), team_of("South", ann)
    make(cast, 1, team=other.pk, teamMember=ann.pk)
    make(cast, 2, team=other.pk, teamMember=ann.pk)
    make(cast, 3, team=team.pk, teamMember=bob.pk, formData={"status": "won"})
    gone = make(cast, 4, team=team.pk, teamMember=bob.pk)
    cast.key.delete("/lead", {"ids": [gone["_id"]]})
    with cast.scope():
        set_rule("leastLoaded")
    assert in_order(cast, team, 5, 10) == [bob.pk, bob.pk, ann.pk, bob.pk, ann.pk]
    assert make(cast, 20, team=team.pk)["teamMember"]["_id"] == bob.pk


def test_a_member_of_two_teams_has_one_load(cast: Cast) -> None:
    with cast.scope():
        ann, bob, cid = member(), member(), member()
        north, south = team_of("North", ann, bob), team_of("South", ann, cid)
        set_rule("leastLoaded")
    bodies = [{**item, "team": team.pk} for item, team in zip(items(6), (north, south) * 3, strict=True)]
    assert len(cast.key.post("/lead/bulk", {"formData": bodies}).data["created"]) == 6
    assert leads_by_member(cast) == {ann.pk: 2, bob.pk: 2, cid.pk: 2}


@pytest.mark.parametrize("rule", ["roundRobin", "leastLoaded"])
def test_who_has_the_most_open_leads_that_the_rule_allows_gets_no_more(cast: Cast, rule: str) -> None:
    with cast.scope():
        ann, bob = member(), member()
        team = team_of("North", ann, bob)
        set_rule(rule, maxOpenLeads=2)
    make(cast, 1, team=team.pk, teamMember=ann.pk)
    assert sorted(in_order(cast, team, 4, 10), key=str) == sorted([ann.pk, bob.pk, bob.pk, None], key=str)


def test_leads_that_are_closed_already_are_not_assigned(cast: Cast) -> None:
    with cast.scope():
        ann = member()
        team = team_of("North", ann)
        set_rule("roundRobin")
    answer = cast.key.post("/lead/bulk", {"formData": [form(1, status="won"), form(2)], "team": team.pk})
    assert [found["teamMember"] and found["teamMember"]["_id"] for found in answer.data["created"]] == [None, ann.pk]


def test_without_a_default_team_leads_of_no_team_cannot_be_assigned(cast: Cast) -> None:
    with cast.scope():
        Team.objects.filter(is_default=True).delete()
        team = team_of("North", member())
        set_rule("roundRobin")
    refused = cast.key.post("/lead", {"formData": form(1)})
    assert (refused.status, refused.body["message"]) == (500, "No default team is set. Choose a team.")
    answer = cast.key.post("/lead/bulk", {"formData": [form(1), {**form(2), "team": team.pk}]})
    assert len(answer.data["created"]) == 1
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [(0, "DefaultTeamNotFound_500")]
    with cast.scope():
        assert Contact.objects.count() == 1
        set_rule("manual")
    assert make(cast, 1)["team"] is None


def test_dealing_costs_no_statement_a_lead(cast: Cast) -> None:
    with cast.scope():
        team = team_of("North", *(member() for _ in range(5)))
        set_rule("leastLoaded")
    cast.key.get("/tag")  # the first use of a key is noted
    counts = []
    for count, start in ((2, 1), (50, 100)):
        with CaptureQueriesContext(connection) as queries:
            in_order(cast, team, count, start)
        counts.append(len(queries))
    assert counts[0] == counts[1]


def at_once(cast: Cast, bodies: list[dict[str, Any]], threads: int = 8) -> list[Any]:
    """Create the leads by so many threads; the ids, or what was raised."""
    from core.errors import ApiError

    def create(body: dict[str, Any]) -> Any:
        relations = Relations(**{name: value for name, value in body.items() if name != "form"})
        try:
            with company_scope(cast.company.pk):
                return create_lead(actor_id=cast.owner.pk, form_data=body.get("form", {}), relations=relations).id
        except ApiError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(create, bodies))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("rule", ["roundRobin", "leastLoaded"])
def test_fifty_at_once_are_assigned_evenly(rule: str) -> None:
    cast = make_cast()
    with cast.scope():
        members = [member() for _ in range(4)]
        team = team_of("North", *members)
        set_rule(rule)
        contacts = [ContactFactory().pk for _ in range(25)]
    bodies: list[dict[str, Any]] = [{"contact": id, "team": team.pk} for id in contacts]
    bodies += [{"form": form(n), "team": team.pk} for n in range(25)]
    results = at_once(cast, bodies)
    assert [result for result in results if not isinstance(result, str)] == []
    found = leads_by_member(cast)
    assert found.keys() == {one.pk for one in members}
    assert sum(found.values()) == 50
    assert max(found.values()) - min(found.values()) <= 1


@pytest.mark.django_db(transaction=True)
def test_of_many_alike_at_once_one_becomes_a_lead() -> None:
    cast = make_cast()
    with cast.scope():
        contact = ContactFactory().pk
        set_duplicates("refuse")
    results = at_once(cast, [{"contact": contact}] * 8 + [{"form": form(1)}] * 8)
    assert len([result for result in results if isinstance(result, str)]) == 2
    with cast.scope():
        assert Lead.objects.count() == 2
        assert Contact.objects.count() == 2
