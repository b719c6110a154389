"""GET /logs/invite (contract 4.6): every change of a membership, with who did it and the role."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import InviteLog
from tests.kit.cast import Cast
from tests.kit.factories import MemberFactory, RoleFactory


def live(cast: Cast) -> dict[str, Any]:
    """A membership with a life: invited, given another role, removed; the invite's answer."""
    made = cast.session.post("/member", {"email": "ann@example.org", "name": "Ann"}).data
    with cast.scope():
        role = RoleFactory(name="Sales")
    cast.key.put(f"/member/{made['_id']}", {"role": role.pk})
    cast.session.delete(f"/member/{made['_id']}")
    return made


def test_rows_carry_member_actor_and_role(cast: Cast) -> None:
    made = live(cast)
    answer = cast.session.get("/logs/invite", sortBy="createdAt", sortOrder="asc")
    assert (answer.status, answer.body["totalCount"]) == (200, 3)
    owner = {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert [(row["action"], row["role"]["name"], row["detail"]) for row in answer.data] == [
        ("invited", "Member", ""),
        ("role_changed", "Sales", "from Member"),
        ("removed", "Sales", ""),
    ]
    for row in answer.data:
        assert row["actionBy"] == owner
        assert row["member"] == {"_id": made["_id"], "name": "Ann", "email": "ann@example.org"}
        assert row["email"] == "ann@example.org"
    assert [row["action"] for row in cast.session.get("/logs/invite").data] == ["removed", "role_changed", "invited"]


def test_filters_search_and_sort(cast: Cast) -> None:
    live(cast)
    cast.session.post("/member", {"email": "bob@example.org"})
    get = cast.session.get
    assert [
        row["email"] for row in get("/logs/invite", filters={"action": "invited"}, sortBy="email", sortOrder="asc").data
    ] == [
        "ann@example.org",
        "bob@example.org",
    ]
    assert get("/logs/invite", filters={"email": "BOB@example.org"}).body["totalCount"] == 1
    assert get("/logs/invite", filters={"role.name": "Sales"}).body["totalCount"] == 2
    assert get("/logs/invite", filters={"actionBy": cast.owner.pk}).body["totalCount"] == 4
    assert get("/logs/invite", searchValue="bob@").body["totalCount"] == 1
    assert get("/logs/invite", p="1", n="3").body["totalCount"] == 4
    assert get("/logs/invite", filters={"nonce": "x"}).status == 400


def test_the_role_of_a_step_may_be_gone(cast: Cast) -> None:
    live(cast)
    with cast.scope():
        role = InviteLog.objects.filter(action="removed").get().role_id
    assert cast.session.delete("/role", {"ids": [role]}).status == 200
    assert [row["role"] for row in cast.session.get("/logs/invite", filters={"action": "removed"}).data] == [None]


def test_another_companys_steps_are_not_seen(cast: Cast, outsiders: Cast) -> None:
    live(outsiders)
    assert cast.session.get("/logs/invite").data == []
    assert outsiders.key.get("/logs/invite").body["totalCount"] == 3


def test_it_needs_the_permission(cast: Cast) -> None:
    answer = cast.narrow_session.get("/logs/invite")
    assert (answer.status, answer.body["warning"]) == (403, "your role lacks the permission logs.GET")
    cast.session.put(f"/role/{cast.narrow.role_id}", {"permission": {"logs": {"GET": True}}})
    assert cast.narrow_session.get("/logs/invite").status == 200


def test_a_list_costs_the_same_whatever_its_length(cast: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert cast.session.get("/logs/invite", p="1", n="100").status == 200
        return len(captured)

    live(cast)
    queries()
    few = queries()
    with cast.scope():
        for n in range(20):
            InviteLog.objects.create(
                member=MemberFactory(), email=f"p{n}@example.org", action="invited", role=RoleFactory()
            )
    assert queries() == few


def test_the_page_reads_its_index(cast: Cast) -> None:
    from core.tenancy import use_owner_role

    with cast.scope():
        member = MemberFactory()
        InviteLog.objects.bulk_create(
            InviteLog(company=cast.company, member=member, email=f"p{n}@example.org", action="invited")
            for n in range(3000)
        )
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE accounts_invitelog")
    with cast.scope():
        plan = InviteLog.objects.order_by("-created_at", "-id")[:20].explain()
    assert "invitelog_newest" in plan, plan
