"""GET, POST, DELETE /member, GET, PUT, DELETE /member/:id, POST /member/:id/resend and /transfer-ownership."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.api_keys.services import create_key
from accounts.models import ApiKey, Member, Role
from accounts.roles.permissions import METHODS
from tests.accounts.members.helpers import REFUSED, Status, add, events, logged, reread
from tests.kit.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory


@pytest.fixture
def office(db: None) -> Cast:
    """A company whose narrow member may do everything with members, and GET contacts."""
    return make_cast({"member": dict.fromkeys(METHODS, True), "contact": {"GET": True}})


# Reading


def test_list_shows_role_user_and_inviter(office: Cast) -> None:
    with office.scope():
        Member.objects.filter(pk=office.narrow.pk).update(invited_by=office.owner)
    rows = {row["_id"]: row for row in office.narrow_session.get("/member").data}
    assert set(rows) == {office.owner.pk, office.narrow.pk}
    row = rows[office.narrow.pk]
    assert row["role"] == {"_id": office.narrow.role_id, "name": office.narrow.role.name}
    assert row["user"] == {
        "_id": office.narrow.user_id,
        "name": office.narrow.user.name,
        "email": office.narrow.user.email,
    }
    assert row["createdBy"] == {"_id": office.owner.pk, "name": office.owner.name, "email": office.owner.email}
    assert (row["status"], rows[office.owner.pk]["status"], rows[office.owner.pk]["role"]) == (
        "accepted",
        "owner",
        None,
    )
    assert office.session.get(f"/member/{office.narrow.pk}").data == row


@pytest.mark.parametrize("field", ["name", "email", "status", "role.name", "createdAt"])
def test_list_sorts(office: Cast, field: str) -> None:
    for n, status in enumerate(("blocked", "removed", "accepted")):
        add(office, status, name=f"Person {9 - n}")
    rows = office.key.get("/member", sortBy=field, sortOrder="asc").data
    parent, _, leaf = field.partition(".")
    values = [(row[parent] or {}).get(leaf) if leaf else row[parent] for row in rows]
    present = [value for value in values if value is not None]
    assert len(rows) == 5
    assert present == sorted(present)
    assert values == present + [None] * (len(values) - len(present))


def test_list_filters_and_searches(office: Cast) -> None:
    ann = add(office, "blocked", name="Ann Lee")
    assert [row["_id"] for row in office.key.get("/member", filters={"status": ["blocked", "removed"]}).data] == [
        ann.pk
    ]
    assert [row["_id"] for row in office.key.get("/member", filters={"role": ann.role_id}).data] == [ann.pk]
    assert [row["_id"] for row in office.key.get("/member", searchValue="ann l").data] == [ann.pk]
    assert [row["_id"] for row in office.key.get("/member", searchValue=ann.email.upper()).data] == [ann.pk]
    assert office.key.get("/member", filters={"colour": "red"}).status == 400


def test_a_list_costs_the_same_whatever_its_length(office: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert office.session.get("/member", p="1", n="100").status == 200
        return len(captured)

    queries()
    few = queries()
    for _ in range(15):
        add(office)
    assert queries() == few


def test_another_companys_member_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = f"/member/{outsiders.narrow.pk}"
    for method, path, body in (
        ("GET", foreign, None),
        ("PUT", foreign, {"status": "blocked"}),
        ("PUT", foreign, {}),
        ("DELETE", foreign, None),
        ("POST", foreign + "/resend", {}),
        ("POST", foreign + "/transfer-ownership", {}),
        ("DELETE", "/member", {"ids": [outsiders.narrow.pk]}),
    ):
        answer = cast.session.call(method, path, body)
        assert (answer.status, answer.body["message"]) == (404, "Member not found."), (method, path)
    assert outsiders.narrow.pk not in [row["_id"] for row in cast.key.get("/member").data]
    with outsiders.scope():
        role = RoleFactory()
    answer = cast.session.put(f"/member/{cast.narrow.pk}", {"role": role.pk})
    assert (answer.status, answer.body["message"]) == (404, "Role not found.")
    assert reread(outsiders, outsiders.narrow).status == "accepted"


def test_each_method_needs_its_permission(cast: Cast) -> None:
    one = f"/member/{cast.narrow.pk}"
    for method, path in (
        ("GET", "/member"),
        ("POST", "/member"),
        ("DELETE", "/member"),
        ("GET", one),
        ("PUT", one),
        ("DELETE", one),
        ("POST", one + "/resend"),
        ("POST", one + "/transfer-ownership"),
    ):
        answer = cast.narrow_session.call(method, path, None if method == "GET" else {})
        assert (answer.status, answer.body["warning"]) == (403, f"your role lacks the permission member.{method}")


# Changing


def test_name_and_role_change(cast: Cast) -> None:
    with cast.scope():
        role = RoleFactory(permission={"tag": {"GET": True}})
    before = cast.narrow.role.name
    answer = cast.session.put(f"/member/{cast.narrow.pk}", {"name": "Ann", "role": role.pk})
    assert (answer.status, answer.data["name"], answer.data["role"]) == (
        200,
        "Ann",
        {"_id": role.pk, "name": role.name},
    )
    assert cast.narrow_session.get("/tag").status == 200
    assert cast.narrow_session.get("/contact").status == 403
    assert logged(cast, cast.narrow) == [("role_changed", cast.owner.pk, f"from {before}")]
    payload = {"email": cast.narrow.email, "status": "accepted", "role": role.pk}
    assert events(cast, cast.narrow) == [("member.updated", cast.owner.pk, payload)]
    assert cast.session.put(f"/member/{cast.narrow.pk}", {"role": role.pk}).status == 200
    assert len(logged(cast, cast.narrow)) == 1


def test_blocking_ends_work_at_once_and_unblocking_lets_in_again(cast: Cast) -> None:
    assert cast.narrow_session.get("/contact").status == 200
    assert cast.session.put(f"/member/{cast.narrow.pk}", {"status": "blocked"}).data["status"] == "blocked"
    refused = cast.narrow_session.get("/contact")
    assert (refused.status, refused.body["warning"]) == (403, "your membership is not accepted or is blocked")
    again = cast.session.put(f"/member/{cast.narrow.pk}", {"status": "blocked"})
    assert (again.status, again.body["message"]) == (400, "This member has not accepted the invite, or is blocked.")
    assert cast.session.put(f"/member/{cast.narrow.pk}", {"status": "accepted"}).data["status"] == "accepted"
    assert cast.narrow_session.get("/contact").status == 200
    again = cast.session.put(f"/member/{cast.narrow.pk}", {"status": "accepted"})
    assert (again.status, again.body["message"]) == (400, "This member is not blocked.")
    assert [action for action, _, _ in logged(cast, cast.narrow)] == ["blocked", "unblocked"]
    assert [kind for kind, _, _ in events(cast, cast.narrow)] == ["member.blocked", "member.unblocked"]


@pytest.mark.parametrize("was", list(Status))
@pytest.mark.parametrize(
    "to", ["accepted", "blocked", "owner", "invited", "removed", "expired", "rejected", "ACCEPTED", "boss"]
)
def test_every_move(cast: Cast, was: str, to: str) -> None:
    member = add(cast, was)
    answer = cast.session.put(f"/member/{member.pk}", {"status": to})
    legal = {("accepted", "blocked"), ("accepted", "owner"), ("blocked", "accepted"), ("owner", "accepted")}
    if (was, to) in legal:
        assert (answer.status, answer.data["status"]) == (200, to)
        return
    if to == "accepted":
        expected = "This member is not blocked."
    else:
        expected = (
            "This member has not accepted the invite, or is blocked."
            if to in ("blocked", "owner")
            else "The member's status does not allow this."
        )
    assert (answer.status, answer.body["message"]) == (400, expected)
    assert reread(cast, member).status == was
    assert logged(cast, member) == []


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    path = f"/member/{cast.narrow.pk}"
    for body, field in (
        ({"role": "x"}, "role"),
        ({"role": None}, "role"),
        ({"status": 1}, "status"),
        ({"status": ["blocked"]}, "status"),
        ({"name": {}}, "name"),
        ({"password": "new"}, "password"),
    ):
        answer = cast.session.put(path, body)
        assert answer.status == 400, body
        assert field in answer.body["message"] + answer.body["warning"]
    before, answer = cast.key.get(path).data, cast.session.put(path, {"email": "new@example.com"})
    assert (answer.status, answer.body["errors"][0]["field"]) == (400, "email")
    assert cast.key.get(path).data == before
    assert cast.session.put(path, {}).body["message"] == "Choose a role or at least one permission."
    assert cast.session.put(path, {"role": "0" * 24}).body["message"] == "Role not found."
    assert cast.key.get("/member/xyz").body["message"] == "Invalid format for field _id: xyz"


@pytest.mark.parametrize("status", ["removed", "rejected", "expired"])
def test_who_is_gone_gets_no_role(cast: Cast, status: str) -> None:
    member = add(cast, status)
    answer = cast.session.put(f"/member/{member.pk}", {"role": cast.narrow.role_id})
    assert (answer.status, answer.body["message"]) == (400, "This member has not accepted the invite, or is blocked.")
    assert reread(cast, member).role_id == member.role_id


# Removing


def test_removal_ends_work_at_once_and_keeps_the_row(cast: Cast) -> None:
    assert cast.session.delete(f"/member/{cast.narrow.pk}").data == {"deletedCount": 1, "apiKeys": []}
    assert cast.narrow_session.get("/contact").status == 403
    assert cast.session.get(f"/member/{cast.narrow.pk}").data["status"] == "removed"
    assert logged(cast, cast.narrow) == [("removed", cast.owner.pk, "")]
    assert [kind for kind, _, _ in events(cast, cast.narrow)] == ["member.removed"]
    assert cast.session.delete(f"/member/{cast.narrow.pk}").data == {"deletedCount": 0, "apiKeys": []}
    assert len(logged(cast, cast.narrow)) == 1


def keys_of(cast: Cast, member: Member, number: int) -> list[ApiKey]:
    with cast.scope():
        return [create_key(member_id=member.pk) for _ in range(number)]


def left(cast: Cast) -> set[str]:
    with cast.scope():
        return set(ApiKey.objects.values_list("pk", flat=True))


def test_removal_names_the_keys_that_they_made(cast: Cast) -> None:
    first, second = keys_of(cast, cast.narrow, 2)
    answer = cast.session.delete(f"/member/{cast.narrow.pk}")
    assert answer.data["deletedCount"] == 1
    assert [(key["_id"], key["maskedKey"]) for key in answer.data["apiKeys"]] == [
        (first.pk, first.masked_key),
        (second.pk, second.masked_key),
    ]
    assert all(key["createdBy"]["_id"] == cast.narrow.pk and "key" not in key for key in answer.data["apiKeys"])
    again = cast.session.delete("/member", {"ids": [cast.narrow.pk], "deleteKeys": True})
    assert again.data == {"deletedCount": 0, "apiKeys": []}
    assert left(cast) == {cast.api_key.pk}


def test_bulk_removal_deletes_their_keys_on_demand(cast: Cast) -> None:
    gone, stays = add(cast), add(cast)
    keys_of(cast, gone, 2)
    [kept] = keys_of(cast, stays, 1)
    answer = cast.session.delete("/member", {"ids": [gone.pk], "deleteKeys": True})
    assert answer.data == {"deletedCount": 1, "apiKeys": []}
    assert left(cast) == {cast.api_key.pk, kept.pk}


def test_blocking_names_the_keys_and_deletes_them_on_demand(cast: Cast) -> None:
    [key] = keys_of(cast, cast.narrow, 1)
    path = f"/member/{cast.narrow.pk}"
    blocked = cast.session.put(path, {"status": "blocked"})
    assert [one["_id"] for one in blocked.data["apiKeys"]] == [key.pk]
    assert cast.session.put(path, {"status": "accepted"}).data["apiKeys"] == []
    assert left(cast) == {cast.api_key.pk, key.pk}
    for body in ({"deleteKeys": True}, {"deleteKeys": True, "name": "Ann"}, {"deleteKeys": True, "status": "owner"}):
        refused = cast.session.put(path, body)
        assert (refused.status, "deleteKeys" in refused.body["message"]) == (400, True), body
    assert cast.session.put(path, {"status": "blocked", "deleteKeys": True}).data["apiKeys"] == []
    assert left(cast) == {cast.api_key.pk}


def test_deleting_their_keys_takes_the_right_to_delete_keys(office: Cast) -> None:
    peer = add(office, permission={})
    [key] = keys_of(office, peer, 1)
    for refused in (
        office.narrow_session.put(f"/member/{peer.pk}", {"status": "blocked", "deleteKeys": True}),
        office.narrow_session.delete("/member", {"ids": [peer.pk], "deleteKeys": True}),
        office.narrow_session.delete(f"/member/{peer.pk}", {"deleteKeys": True}),
    ):
        assert (refused.status, "api.DELETE" in refused.body["warning"]) == (403, True)
    assert reread(office, peer).status == "accepted"
    assert key.pk in left(office)


def test_bulk_removal_by_filter_spares_the_rest(cast: Cast) -> None:
    gone = [add(cast, "blocked") for _ in range(3)]
    answer = cast.session.delete("/member", {"selectAll": True, "nids": [gone[0].pk]}, filters={"status": "blocked"})
    assert answer.data == {"deletedCount": 2, "apiKeys": []}
    assert [reread(cast, member).status for member in gone] == ["blocked", "removed", "removed"]
    answer = cast.session.delete("/member", {"selectAll": True})
    assert (answer.status, answer.body["message"]) == (400, "This can't be done.")
    assert "last owner" in answer.body["warning"]
    assert reread(cast, cast.narrow).status == "accepted"
    assert cast.session.delete("/member", {}).status == 400


def test_bulk_removal_by_a_related_column(cast: Cast) -> None:
    gone = add(cast, "accepted")
    answer = cast.session.delete("/member", {"selectAll": True}, filters={"role.name": gone.role.name})
    assert answer.data == {"deletedCount": 1, "apiKeys": []}
    assert reread(cast, gone).status == "removed"


# Nobody goes beyond what they may


def test_a_bounded_member_gives_no_role_that_has_more(office: Cast) -> None:
    peer = add(office)
    with office.scope():
        admin, same = Role.objects.get(name="Admin"), RoleFactory(permission={"contact": {"GET": True}})
    refused = office.narrow_session.put(f"/member/{peer.pk}", {"role": admin.pk})
    assert (refused.status, refused.body["message"]) == (403, REFUSED)
    assert "the role permits custom-field.GET, custom-field.POST" in refused.body["warning"]
    assert office.narrow_session.put(f"/member/{peer.pk}", {"role": same.pk}).status == 200
    invited = office.narrow_session.post("/member", {"email": "x@example.com", "role": admin.pk})
    assert (invited.status, invited.body["message"]) == (403, REFUSED)
    assert (
        office.narrow_session.post("/member", {"email": "x@example.com"}).status == 403
    )  # the default role has more too
    assert office.narrow_session.post("/member", {"email": "x@example.com", "role": same.pk}).status == 201


def test_a_bounded_member_touches_nobody_who_may_more(office: Cast) -> None:
    chief = add(office, permission={"tag": {"DELETE": True}})
    for answer in (
        office.narrow_session.put(f"/member/{chief.pk}", {"status": "blocked"}),
        office.narrow_session.put(f"/member/{chief.pk}", {"name": "Fool"}),
        office.narrow_session.delete(f"/member/{chief.pk}"),
        office.narrow_session.delete("/member", {"ids": [chief.pk]}),
    ):
        assert answer.status == 403
        assert answer.body["warning"] == f"the role of {chief.email} permits tag.DELETE, which you lack yourself"
    assert reread(office, chief).status == "accepted"
    peer = add(office, permission={"contact": {"GET": True}})
    assert office.narrow_session.put(f"/member/{peer.pk}", {"status": "blocked"}).status == 200
    assert office.narrow_session.delete(f"/member/{peer.pk}").status == 200


def test_a_bounded_member_touches_no_owner(office: Cast) -> None:
    second = add(office, "owner")
    for answer in (
        office.narrow_session.put(f"/member/{second.pk}", {"status": "accepted"}),
        office.narrow_session.put(f"/member/{second.pk}", {"name": "Fool"}),
        office.narrow_session.delete(f"/member/{second.pk}"),
        office.narrow_session.delete("/member", {"selectAll": True, "nids": [office.narrow.pk, office.owner.pk]}),
    ):
        assert (answer.status, answer.body["message"]) == (403, REFUSED)
        assert "is an owner; only owners change owners" in answer.body["warning"]
    peer = add(office)
    makes = office.narrow_session.put(f"/member/{peer.pk}", {"status": "owner"})
    assert (makes.status, makes.body["warning"]) == (403, "status: only owners make owners")
    assert reread(office, second).status == "owner"


def test_nobody_changes_their_own_membership(office: Cast) -> None:
    path = f"/member/{office.narrow.pk}"
    for answer in (
        office.narrow_session.put(path, {"status": "owner"}),
        office.narrow_session.put(path, {"status": "blocked"}),
        office.narrow_session.put(path, {"role": office.narrow.role_id}),
        office.narrow_session.delete(path),
    ):
        assert answer.status == 403
        assert "DELETE /api/private/memberships/:id" in answer.body["warning"]
    assert reread(office, office.narrow).status == "accepted"


def test_an_owners_key_goes_where_an_owner_goes(office: Cast) -> None:
    second = add(office, "owner")
    assert office.key.put(f"/member/{second.pk}", {"status": "accepted"}).data["status"] == "accepted"
    assert logged(office, second) == [("role_changed", office.owner.pk, "no owner any more")]


def test_sessions_of_two_companies_do_not_mix(cast: Cast, outsiders: Cast) -> None:
    """A person who is in two companies keeps the one when removed from the other."""
    with outsiders.scope():
        second = MemberFactory(
            user=cast.narrow.user, status=Status.ACCEPTED, role=outsiders.narrow.role, email=cast.narrow.email
        )
    other = Caller(SESSION, session_headers(second))
    cast.session.delete(f"/member/{cast.narrow.pk}")
    assert cast.narrow_session.get("/contact").status == 403
    assert other.get("/contact").status == 200


def test_the_keys_of_who_is_blocked_already_can_be_deleted(cast: Cast) -> None:
    path = f"/member/{cast.narrow.pk}"
    with cast.scope():
        create_key(member_id=cast.narrow.pk)
    assert len(cast.session.put(path, {"status": "blocked"}).data["apiKeys"]) == 1
    answer = cast.session.put(path, {**cast.session.get(path).data, "deleteKeys": True})
    assert (answer.status, answer.data["status"]) == (200, "blocked"), answer.body
    with cast.scope():
        assert not ApiKey.objects.filter(created_by=cast.narrow).exists()
