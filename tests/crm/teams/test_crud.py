"""/team (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from accounts.registration.companies import create_company
from core.access import Entitlement, limited_creation
from core.errors import NamedError
from core.models import Event
from core.tenancy import company_scope
from core.tenancy.provisioning import provision_company
from crm.models import Lead, Team, TeamMember
from crm.teams.services import MemberChanges, create_team
from tests.crm.leads.helpers import default_team, make, member
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import UserFactory

MISSING = "0" * 24


@pytest.fixture
def sellers(cast: Cast) -> list[Member]:
    """Three accepted members, in the order of their names."""
    with cast.scope():
        return [member(name=name, user__name=name) for name in ("Ada", "Ben", "Cleo")]


def new_team(cast: Cast, name: str = "North", **body: Any) -> dict[str, Any]:
    answer = cast.key.post("/team", {"name": name, **body})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def members_of(found: dict[str, Any]) -> dict[str, bool]:
    """Return name -> isAvailable, in the order of the answer."""
    return {one["name"]: one["isAvailable"] for one in found["members"]}


def test_a_new_company_has_a_default_team_with_its_owner(db: None) -> None:
    company, owner = create_company(name="Made", owner=UserFactory())
    with company_scope(company.pk):
        team = Team.objects.get()
        assert (team.name, team.is_default) == ("General", True)
        assert list(TeamMember.objects.values_list("team_id", "member_id", "is_available")) == [
            (team.pk, owner.pk, True)
        ]
        TeamMember.objects.all().delete()
        provision_company()
        assert Team.objects.get() == team
        assert not TeamMember.objects.exists()


def test_a_team_called_general_becomes_the_default_one(scope: Cast) -> None:
    Team.objects.all().delete()
    team = Team.objects.create(name="GENERAL")
    provision_company()
    assert list(Team.objects.values_list("pk", "is_default")) == [(team.pk, True)]


def test_create_and_read(cast: Cast, sellers: list[Member]) -> None:
    ada, ben, _ = sellers
    made = new_team(cast, color="#fff", description="snow", members=[ben.pk, ada.pk], availability={ben.pk: False})
    assert {key: made[key] for key in ("name", "color", "description", "isDefault", "leadCount")} == {
        "name": "North",
        "color": "#fff",
        "description": "snow",
        "isDefault": False,
        "leadCount": 0,
    }
    assert made["members"] == [
        {"_id": ada.pk, "name": "Ada", "email": ada.email, "status": "accepted", "isAvailable": True},
        {"_id": ben.pk, "name": "Ben", "email": ben.email, "status": "accepted", "isAvailable": False},
    ]
    assert made["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert cast.key.get(f"/team/{made['_id']}").data == made


def test_members_are_replaced_added_and_taken_out(cast: Cast, sellers: list[Member]) -> None:
    ada, ben, cleo = sellers
    team = new_team(cast, members=[ada.pk])
    place = f"/team/{team['_id']}"
    with cast.scope():
        kept = TeamMember.objects.get(member=ada).pk
    changed = cast.key.put(place, {"addMembers": [ben.pk, ada.pk], "availability": {ada.pk: False}})
    assert (changed.status, members_of(changed.data)) == (200, {"Ada": False, "Ben": True})
    assert members_of(cast.key.put(place, {"members": [cleo.pk, ada.pk]}).data) == {"Ada": False, "Cleo": True}
    assert members_of(cast.key.put(place, {"removeMembers": [cleo.pk], "availability": {ada.pk: True}}).data) == {
        "Ada": True
    }
    with cast.scope():
        assert TeamMember.objects.get().pk == kept, "who stays keeps their turn"
    assert members_of(cast.key.put(place, {"name": "South"}).data) == {"Ada": True}
    assert cast.key.put(place, {"members": []}).data["members"] == []


def test_who_cannot_be_a_member(cast: Cast, outsiders: Cast, sellers: list[Member]) -> None:
    with cast.scope():
        blocked = member(Member.Status.BLOCKED)
    team = new_team(cast, members=[sellers[0].pk])
    place = f"/team/{team['_id']}"
    refusals: list[tuple[dict[str, Any], int, str]] = [
        ({"members": [MISSING]}, 404, "Member not found."),
        ({"addMembers": [outsiders.owner.pk]}, 404, "Member not found."),
        ({"addMembers": [blocked.pk]}, 400, "This member has not accepted the invite, or is blocked."),
        ({"removeMembers": [sellers[1].pk]}, 404, "Member not found."),
        ({"availability": {sellers[1].pk: True}}, 404, "Member not found."),
    ]
    for body, status, message in refusals:
        answer = cast.key.put(place, {"name": "Changed", **body})
        assert (answer.status, answer.body["message"].lower()) == (status, message.lower()), (body, answer.body)
    assert cast.key.get(place).data == team, "nothing of a refused change is kept"
    assert cast.key.post("/team", {"name": "New", "members": [blocked.pk]}).status == 400
    assert cast.key.get("/team", searchValue="new").data == []
    with cast.scope():
        Member.objects.filter(pk=sellers[0].pk).update(status=Member.Status.BLOCKED)
    kept = cast.key.put(place, {"members": [sellers[0].pk, sellers[1].pk]})
    assert [one["status"] for one in kept.data["members"]] == ["blocked", "accepted"], (
        "who was in the team may stay in it"
    )


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"name": ""}, {"name": 1}, {"name": "x" * 201}, {"name": "x", "shade": 1}, []),
        *({"name": "x", "members": "y"}, {"name": "x", "members": ["y"]}, {"name": "x", "isDefault": True}),
        *(
            {"name": "x", "availability": []},
            {"name": "x", "availability": {"y": True}},
            {"name": "x", "availability": {MISSING: 1}},
        ),
        {"name": "x", "addMembers": []},
    ],
)
def test_a_malformed_body_is_a_400(cast: Cast, body: Any) -> None:
    assert cast.key.post("/team", body).status == 400
    assert [team["name"] for team in cast.key.get("/team").data] == ["General"]


def test_names_are_unique_whatever_their_case(cast: Cast, outsiders: Cast) -> None:
    team = new_team(cast)
    for body in ({"name": "NORTH"}, {"name": "general"}):
        taken = cast.key.post("/team", body)
        assert (taken.status, taken.body["message"]) == (400, "A team with this name already exists.")
    assert (
        cast.key.put(f"/team/{team['_id']}", {"name": "GENERAL"}).body["message"]
        == "A team with this name already exists."
    )
    assert cast.key.put(f"/team/{team['_id']}", {"name": "NORTH"}).data["name"] == "NORTH"
    new_team(outsiders)


def test_list_search_filter_sort_page(cast: Cast, sellers: list[Member]) -> None:
    north, south = (
        new_team(cast, members=[sellers[0].pk]),
        new_team(cast, "South", description="sun", members=[sellers[1].pk]),
    )

    def names(**query: Any) -> list[str]:
        answer = cast.key.get("/team", **query)
        assert answer.status == 200, answer.body
        return [team["name"] for team in answer.data]

    assert names() == ["South", "North", "General"]
    assert names(sortBy="name", sortOrder="asc") == ["General", "North", "South"]
    assert names(searchValue="SUN") == ["South"]
    assert names(filters={"members": sellers[0].pk}) == ["North"]
    assert names(filters={"isDefault": True}) == ["General"]
    assert names(searchBy="members.name", searchValue="ben") == ["South"]
    assert names(nids=f"{north['_id']},{south['_id']}") == ["General"]
    page = cast.key.get("/team", cursorPagination="true", n="2", sortBy="name", sortOrder="asc")
    assert (page.body["totalCount"], len(page.data)) == (3, 2)
    assert names(cursor=page.body["nextCursor"], n="2") == ["South"]
    assert cast.key.get("/team", sortBy="shade").status == 400


def test_a_list_takes_as_many_queries_for_twenty_as_for_one(cast: Cast, sellers: list[Member]) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get("/team", p="1", n="50").status == 200
        return len(found)

    queries()
    few = queries()
    for n in range(12):
        new_team(cast, f"Team {n}", members=[one.pk for one in sellers])
    assert queries() == few


def test_leads_of_a_deleted_team_go_to_the_default_one(cast: Cast, sellers: list[Member]) -> None:
    north, south, west = (new_team(cast, name, members=[sellers[0].pk])["_id"] for name in ("North", "South", "West"))
    with cast.scope():
        general = default_team().pk
    moved = [make(cast, n, team=team)["_id"] for n, team in ((1, north), (2, south), (3, north))]
    stays = make(cast, 4, team=west)["_id"]
    assert cast.key.delete("/lead", {"ids": [moved[2]]}).status == 200
    assert cast.key.get(f"/team/{north}").data["leadCount"] == 1
    answer = cast.key.delete("/team", {"ids": [north, south]})
    assert (answer.status, answer.data) == (200, {"deletedCount": 2})
    with cast.scope():
        assert dict(Lead.objects.values_list("pk", "team_id")) == {**dict.fromkeys(moved, general), stays: west}
        assert set(TeamMember.objects.values_list("team_id", flat=True)) == {west}
        events = {event.object_id: event for event in Event.objects.filter(kind="lead.updated")}
    assert {id: event.payload for id, event in events.items()} == {
        moved[0]: {"changes": {"team": {"from": north, "to": general}}},
        moved[1]: {"changes": {"team": {"from": south, "to": general}}},
    }
    assert {(event.actor_id, event.automation) for event in events.values()} == {(cast.owner.pk, True)}
    assert cast.key.get(f"/team/{general}").data["leadCount"] == 2
    assert cast.key.get(f"/team/{north}").body["message"] == "Team not found."


def test_what_cannot_be_deleted(cast: Cast, outsiders: Cast) -> None:
    north = new_team(cast)["_id"]
    foreign = new_team(outsiders)["_id"]
    general = cast.key.get("/team", filters={"isDefault": True}).data[0]["_id"]
    refusals: list[tuple[Any, str]] = [
        ({}, "Select at least one team."),
        ({"ids": []}, "Select at least one team."),
        ({"nids": [north]}, "Select at least one team."),
        ({"ids": [north, general]}, "You can't delete the default team. Make another team the default first."),
        ({"selectAll": True}, "You can't delete the default team. Make another team the default first."),
        ({"ids": [MISSING]}, "Team not found."),
        ({"ids": [foreign]}, "Team not found."),
    ]
    for body, message in refusals:
        answer = cast.key.delete("/team", body)
        assert (answer.status, answer.body["message"]) == (400, message), body
    assert cast.key.get("/team").body["totalCount"] == 2
    answer = cast.key.delete("/team", {"selectAll": True, "nids": [general], "automation": "skip"})
    assert (answer.status, answer.data) == (200, {"deletedCount": 1})
    with cast.scope():
        Team.objects.create(name="West")
        Team.objects.filter(pk=general).delete()
    answer = cast.key.delete("/team", {"selectAll": True})
    assert (answer.status, answer.body["message"]) == (500, "No default team is set. Choose a team.")
    assert outsiders.key.get(f"/team/{foreign}").status == 200


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new_team(outsiders)["_id"]
    for method, body in (("GET", None), ("PUT", {"name": "Mine"})):
        answer = cast.key.call(method, f"/team/{foreign}", body)
        assert (answer.status, answer.body["message"]) == (400, "Team not found.")
        assert answer.body == cast.key.call(method, f"/team/{MISSING}", body).body
        malformed = cast.key.call(method, "/team/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert [team["name"] for team in cast.key.get("/team").data] == ["General"]


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed, refused = make_cast({"team": dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)}), make_cast({})
    for made, statuses in ((allowed, (200, 201, 200, 200, 200)), (refused, (403,) * 5)):
        team = new_team(made)["_id"]
        calls = [
            *(("GET", "/team", None), ("POST", "/team", {"name": "x"}), ("GET", f"/team/{team}", None)),
            *(("PUT", f"/team/{team}", {"name": "y"}), ("DELETE", "/team", {"ids": [team]})),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses


def test_the_plan_limits_teams(scope: Cast) -> None:
    with limited_creation(Entitlement(limits={"team": 2})):
        create_team(actor_id=scope.owner.pk, values={"name": "North"}, members=MemberChanges())
        with pytest.raises(NamedError) as refused, transaction.atomic():
            create_team(actor_id=scope.owner.pk, values={"name": "South"}, members=MemberChanges())
    assert refused.value.name == "PlanLimitExceeded_403"
    assert Team.objects.count() == 2
