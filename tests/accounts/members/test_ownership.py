"""A company's owners: the last one stays, others come and go, ownership is handed over; also when it happens at
once."""

from __future__ import annotations

from collections import Counter

import pytest
from django.db.models import Q

from accounts.members.services import remove_members, transfer_ownership, update_member
from accounts.models import Member, Role
from accounts.roles.authority import staff_actor
from accounts.roles.permissions import METHODS
from core.access import Actor, AuthPath
from core.lists import BulkSelection
from tests.accounts.members.helpers import REFUSED, Status, add, logged, reread
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import MemberFactory
from tests.kit.threads import at_once

# Owners


def test_the_last_owner_stays(cast: Cast) -> None:
    path = f"/member/{cast.owner.pk}"
    for answer in (
        cast.session.delete(path),
        cast.key.delete(path),
        cast.session.delete("/member", {"ids": [cast.owner.pk, cast.narrow.pk]}),
        cast.session.put(path, {"status": "accepted"}),
    ):
        assert (answer.status, answer.body["message"]) == (400, "This can't be done.")
        assert "last owner" in answer.body["warning"]
    blocked = cast.session.put(path, {"status": "blocked"})
    assert (blocked.status, blocked.body["message"]) == (400, "This member has not accepted the invite, or is blocked.")
    assert cast.session.put(path, {"role": cast.narrow.role_id}).status == 400
    assert reread(cast, cast.owner).status == "owner"
    assert reread(cast, cast.narrow).status == "accepted"


def test_a_second_owner_can_be_made_and_unmade(cast: Cast) -> None:
    made = cast.session.put(f"/member/{cast.narrow.pk}", {"status": "owner"})
    assert (made.status, made.data["status"], made.data["role"]) == (200, "owner", None)
    assert cast.narrow_session.get("/tag").status == 200
    unmade = cast.narrow_session.put(f"/member/{cast.owner.pk}", {"status": "accepted"})
    assert (unmade.data["status"], unmade.data["role"]["name"]) == ("accepted", "Admin")
    with cast.scope():
        viewer = Role.objects.get(name="Viewer")
    cast.narrow_session.put(f"/member/{cast.owner.pk}", {"status": "owner"})
    unmade = cast.session.put(f"/member/{cast.owner.pk}", {"status": "accepted", "role": viewer.pk})
    assert (unmade.status, unmade.data["role"]["name"]) == (200, "Viewer")
    assert [detail for _, _, detail in logged(cast, cast.owner)] == [
        "no owner any more",
        "made an owner",
        "no owner any more",
    ]


def test_ownership_is_handed_over(cast: Cast) -> None:
    answer = cast.session.post(f"/member/{cast.narrow.pk}/transfer-ownership")
    assert (answer.status, answer.data["_id"], answer.data["status"], answer.data["role"]) == (
        200,
        cast.narrow.pk,
        "owner",
        None,
    )
    former = reread(cast, cast.owner)
    assert (former.status, former.role.name if former.role else "") == ("accepted", "Admin")
    assert logged(cast, cast.narrow) == [("ownership_transferred", cast.owner.pk, f"from {cast.owner.email}")]
    assert logged(cast, cast.owner) == [("role_changed", cast.owner.pk, "no owner any more")]
    back = cast.session.post(f"/member/{cast.owner.pk}/transfer-ownership")
    assert (back.status, back.body["message"]) == (403, REFUSED)
    assert cast.narrow_session.delete(f"/member/{cast.owner.pk}").status == 200


def test_the_former_owner_gets_the_role_that_is_named(cast: Cast) -> None:
    role = cast.narrow.role_id
    missing = cast.session.post(f"/member/{cast.narrow.pk}/transfer-ownership", {"role": "0" * 24})
    assert (missing.status, missing.body["message"]) == (404, "Role not found.")
    assert cast.session.post(f"/member/{cast.narrow.pk}/transfer-ownership", {"role": role}).status == 200
    assert reread(cast, cast.owner).role_id == role


def test_without_an_admin_role_the_former_owner_gets_the_default_one(cast: Cast) -> None:
    with cast.scope():
        Role.objects.filter(name="Admin").delete()
    assert cast.session.post(f"/member/{cast.narrow.pk}/transfer-ownership").status == 200
    with cast.scope():
        assert Member.objects.get(pk=cast.owner.pk).role == Role.objects.get(is_default=True)


@pytest.mark.parametrize("status", ["invited", "blocked", "removed", "rejected", "expired", "owner"])
def test_ownership_goes_to_accepted_members_only(cast: Cast, status: str) -> None:
    heir = add(cast, status)
    answer = cast.session.post(f"/member/{heir.pk}/transfer-ownership")
    assert (answer.status, answer.body["message"]) == (400, "This member has not accepted the invite, or is blocked.")
    assert reread(cast, cast.owner).status == "owner"


def test_only_owners_hand_it_over(db: None) -> None:
    office = make_cast({"member": dict.fromkeys(METHODS, True)})
    heir = add(office)
    refused = office.narrow_session.post(f"/member/{heir.pk}/transfer-ownership")
    assert (refused.status, refused.body["message"]) == (403, REFUSED)
    with office.scope():
        office.api_key.created_by_id = office.narrow.pk
        office.api_key.save()
    assert office.key.post(f"/member/{heir.pk}/transfer-ownership").status == 403
    assert reread(office, heir).status == "accepted"


# At once


@pytest.fixture
def committed(transactional_db: None) -> Cast:
    """A committed company, so that threads see it."""
    return make_cast()


def owner_actor(cast: Cast, member: Member) -> Actor:
    return Actor(AuthPath.SESSION, str(member.user_id), cast.company.pk, member.pk, is_owner=True)


def owners(cast: Cast) -> int:
    with cast.scope():
        return Member.objects.filter(status=Status.OWNER).count()


def test_two_owners_who_demote_each_other_at_once_leave_one(committed: Cast) -> None:
    for _ in range(5):
        with committed.scope():
            Member.objects.update(status=Status.OWNER)
        pair = (committed.owner, committed.narrow)
        results = at_once(
            2,
            committed.company.pk,
            lambda n, pair=pair: (
                update_member(
                    actor=owner_actor(committed, pair[n]), id=pair[1 - n].pk, values={"status": "accepted"}
                ).status
            ),
        )
        # The second is an owner no more when its turn comes, and its role does not let it touch the one that is left.
        assert Counter(results) == {"accepted": 1, "UnauthorizedAction_403": 1}
        assert owners(committed) == 1


def test_owners_who_leave_at_once_leave_one(committed: Cast) -> None:
    with committed.scope():
        everybody = [committed.owner, *(MemberFactory() for _ in range(5))]
    staff = staff_actor(user_id=committed.owner.user_id, company_id=committed.company.pk)

    def leave(n: int) -> int:
        return remove_members(actor=staff, selection=BulkSelection(Q(pk=everybody[n].pk))).removed

    assert Counter(at_once(6, committed.company.pk, leave)) == {1: 5, "BadRequest_400": 1}
    assert owners(committed) == 1


def test_ownership_handed_to_many_at_once_goes_to_one(committed: Cast) -> None:
    with committed.scope():
        heirs = [MemberFactory(status=Status.ACCEPTED, role=committed.narrow.role) for _ in range(6)]
    actor = owner_actor(committed, committed.owner)
    results = at_once(6, committed.company.pk, lambda n: transfer_ownership(actor=actor, id=heirs[n].pk).status)
    assert Counter(results) == {"owner": 1, "UnauthorizedAction_403": 5}
    assert owners(committed) == 1


def test_who_is_blocked_meanwhile_changes_nothing_any_more(committed: Cast) -> None:
    with committed.scope():
        peer = MemberFactory(status=Status.ACCEPTED, role=committed.narrow.role)
        Member.objects.filter(pk=committed.narrow.pk).update(status=Status.BLOCKED)
    stale = Actor(AuthPath.SESSION, committed.narrow.user_id, committed.company.pk, committed.narrow.pk, is_accepted=True, permissions={"member": {"PUT": True}, "contact": {"GET": True}})  # fmt: skip  # noqa: E501
    assert at_once(
        1, committed.company.pk, lambda n: update_member(actor=stale, id=peer.pk, values={"status": "blocked"})
    ) == ["UnauthorizedAction_403"]
    assert reread(committed, peer).status == "accepted"
