"""GET /memberships, GET and DELETE /memberships/:id on the private path (contract 4.11)."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.auth.sessions import tokens
from accounts.members.services import leave_company
from accounts.models import InviteLog, Member
from accounts.roles.permissions import MODULES
from billing.models import Subscription
from core.models import Event
from tests.accounts.auth.helpers import private
from tests.kit.cast import Caller, Cast, make_cast
from tests.kit.factories import MemberFactory
from tests.kit.threads import at_once

Status = Member.Status


def private_caller(member: Member) -> Caller:
    return private(tokens.issue(member.user).access)


def join(cast: Cast, member: Member, status: str = Status.ACCEPTED) -> Member:
    """A membership of the same person in the cast's company."""
    with cast.scope():
        return MemberFactory(user=member.user, status=status, role=cast.narrow.role)


def test_list_has_ones_own_of_all_companies_with_the_company(cast: Cast, outsiders: Cast) -> None:
    second = join(outsiders, cast.narrow)
    answer = private_caller(cast.narrow).get("/memberships", sortBy="company.name", sortOrder="asc")
    assert (answer.status, answer.body["totalCount"]) == (200, 2)
    rows = {row["_id"]: row for row in answer.data}
    assert set(rows) == {cast.narrow.pk, second.pk}
    assert rows[second.pk]["company"] == {
        "_id": outsiders.company.pk,
        "name": outsiders.company.name,
        "email": outsiders.company.email,
    }
    assert rows[cast.narrow.pk]["role"] == {"_id": cast.narrow.role_id, "name": cast.narrow.role.name}
    assert [row["company"]["name"] for row in answer.data] == sorted(row["company"]["name"] for row in answer.data)


def test_list_is_on_the_list_contract(cast: Cast, outsiders: Cast) -> None:
    second = join(outsiders, cast.narrow, "blocked")
    caller = private_caller(cast.narrow)
    assert [row["_id"] for row in caller.get("/memberships", filters={"status": "blocked"}).data] == [second.pk]
    assert [row["_id"] for row in caller.get("/memberships", filters={"company": cast.company.pk}).data] == [
        cast.narrow.pk
    ]
    assert [row["_id"] for row in caller.get("/memberships", searchValue=outsiders.company.name.lower()).data] == [
        second.pk
    ]
    first = caller.get("/memberships", n="1", cursorPagination=True)
    assert (first.body["totalCount"], len(first.data)) == (2, 1)
    rest = caller.get("/memberships", n="1", cursor=first.body["nextCursor"])
    assert {first.data[0]["_id"], rest.data[0]["_id"]} == {cast.narrow.pk, second.pk}
    assert caller.get("/memberships", filters={"user": "x"}).status == 400


def test_one_has_company_role_and_every_permission(cast: Cast) -> None:
    answer = private_caller(cast.narrow).get(f"/memberships/{cast.narrow.pk}")
    assert answer.status == 200, answer.body
    assert answer.data["company"]["name"] == cast.company.name
    role = answer.data["role"]
    assert (role["_id"], role["name"]) == (cast.narrow.role_id, cast.narrow.role.name)
    assert set(role["permission"]) == set(MODULES)
    assert role["permission"]["contact"] == {"GET": True, "POST": False, "PUT": False, "DELETE": False}
    assert private_caller(cast.owner).get(f"/memberships/{cast.owner.pk}").data["role"] is None


def test_somebody_elses_membership_looks_missing(cast: Cast, outsiders: Cast) -> None:
    caller = private_caller(cast.narrow)
    missing = caller.get(f"/memberships/{'0' * 24}")
    for foreign in (cast.owner.pk, outsiders.owner.pk):
        for method in ("GET", "DELETE"):
            answer = caller.call(method, f"/memberships/{foreign}")
            assert (answer.status, answer.body) == (404, missing.body)
    assert caller.get("/memberships/xyz").body["message"] == "Invalid format for field _id: xyz"
    with cast.scope():
        assert Member.objects.get(pk=cast.owner.pk).status == "owner"


def test_a_lapsed_company_still_shows(cast: Cast) -> None:
    with cast.scope():
        Subscription.objects.update(status=Subscription.Status.EXPIRED)
    assert private_caller(cast.narrow).get("/memberships").body["totalCount"] == 1


def test_a_key_and_a_stranger_are_refused(cast: Cast) -> None:
    for headers in ({}, {"apikey": cast.api_key.key}):
        assert Caller("/api/private", headers).get("/memberships").status == 401


@pytest.mark.parametrize("status", ["accepted", "blocked"])
def test_leaving(cast: Cast, status: str) -> None:
    with cast.scope():
        Member.objects.filter(pk=cast.narrow.pk).update(status=status)
    caller = private_caller(cast.narrow)
    assert caller.delete(f"/memberships/{cast.narrow.pk}").status == 200
    assert cast.narrow_session.get("/contact").status == 403
    with cast.scope():
        assert InviteLog.objects.values_list("action", "action_by", "detail").get() == (
            "removed",
            cast.narrow.pk,
            "left",
        )
        assert Event.objects.filter(kind="member.removed", object_id=cast.narrow.pk).count() == 1
    assert caller.delete(f"/memberships/{cast.narrow.pk}").status == 404


def test_the_last_owner_does_not_leave(cast: Cast) -> None:
    answer = private_caller(cast.owner).delete(f"/memberships/{cast.owner.pk}")
    assert (answer.status, answer.body["message"]) == (400, "This can't be done.")
    assert "last owner" in answer.body["warning"]
    with cast.scope():
        MemberFactory()
    assert private_caller(cast.owner).delete(f"/memberships/{cast.owner.pk}").status == 200


def test_lists_cost_the_same_whatever_their_length(cast: Cast) -> None:
    caller = private_caller(cast.narrow)

    def queries(path: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert caller.get(path, p="1", n="50").status == 200
        return len(captured)

    for path, status in (("/memberships", Status.ACCEPTED), ("/invites", Status.INVITED)):
        join(make_cast(), cast.narrow, status)
        queries(path)
        few = queries(path)
        for _ in range(5):
            join(make_cast(), cast.narrow, status)
        assert queries(path) == few


def test_the_last_two_owners_who_leave_at_once_leave_one(transactional_db: None) -> None:
    office = make_cast()
    with office.scope():
        pair = [office.owner, MemberFactory()]

    def leave(n: int) -> str:
        leave_company(user_id=str(pair[n].user_id), member_id=pair[n].pk)
        return "left"

    assert Counter(at_once(2, office.company.pk, leave)) == {"left": 1, "BadRequest_400": 1}
