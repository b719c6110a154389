"""Invites under concurrency: each has exactly one outcome, and seats are counted exactly."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from time import sleep
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from accounts.members.invites import (
    accept_as_new_user,
    answer_invite,
    decline_invite,
    expire_invites,
    invite_member,
    link_of,
    resend_invite,
)
from accounts.members.services import remove_member
from accounts.models import InviteLog, Mail, Member, User
from core.access import Actor, AuthPath, Entitlement, limited_creation
from core.errors import ApiError
from core.tenancy import unscoped
from tests.accounts.auth.helpers import PASSWORD
from tests.accounts.members.invite_helpers import HERE, NEW, actions, find, person
from tests.kit.cast import Cast, make_cast
from tests.kit.threads import at_once

Status = Member.Status


@pytest.fixture
def office(transactional_db: None) -> Cast:
    """A committed company, so that threads see it."""
    return make_cast()


def key_actor(cast: Cast) -> Actor:
    return Actor(AuthPath.KEY, cast.owner.user_id, cast.company.pk, cast.owner.pk)


def tried(call: Any) -> str:
    """How a call went: "done", or the error's own name."""
    try:
        call()
    except ApiError as error:
        return getattr(error, "name", type(error).__name__)
    return "done"


def test_fifty_invites_fill_three_seats(office: Cast) -> None:
    actor = key_actor(office)

    def send(n: int) -> str:
        with limited_creation(Entitlement(limits={"member": 5})):
            return tried(lambda: invite_member(actor=actor, email=f"p{n}@example.org"))

    assert Counter(at_once(50, office.company.pk, send)) == {"done": 3, "PlanMaxUsers_400": 47}
    with office.scope():
        assert Member.objects.filter(status=Status.INVITED).count() == 3
        assert InviteLog.objects.count() == 3
        assert Mail.objects.filter(kind="invite").count() == 3


def test_one_address_invited_many_times_at_once_is_invited_once(office: Cast) -> None:
    actor = key_actor(office)
    results = at_once(10, office.company.pk, lambda n: tried(lambda: invite_member(actor=actor, email=NEW)))
    assert Counter(results) == {"done": 1, "MemberAlredyExists_400": 9}
    with office.scope():
        assert Mail.objects.filter(kind="invite").count() == 1


def invited(cast: Cast, email: str = NEW) -> Member:
    with cast.scope():
        return invite_member(actor=key_actor(cast), email=email)


def token_of(member: Member) -> str:
    return link_of(member).partition("token=")[2]


def test_accepting_twice_at_once_happens_once(office: Cast) -> None:
    member = invited(office)
    user, _ = person()
    results = at_once(
        8,
        office.company.pk,
        lambda n: tried(lambda: answer_invite(user_id=user.pk, member_id=member.pk, status="accepted")),
    )
    assert Counter(results) == {"done": 1, "MemberNotFound_404": 7}
    assert actions(office, member.pk) == ["invited", "accepted"]


def test_a_link_used_many_times_at_once_makes_one_account(office: Cast) -> None:
    member = invited(office)
    token = token_of(member)

    def accept(n: int) -> str:
        return tried(lambda: accept_as_new_user(token=token, name=f"N{n}", password=PASSWORD, caller=HERE))

    results = Counter(at_once(8, office.company.pk, accept))
    assert results["done"] == 1
    assert set(results) <= {"done", "InvalidLink_400", "MemberNotFound_404"}
    assert User.objects.filter(email=NEW).count() == 1
    assert actions(office, member.pk) == ["invited", "accepted"]


def test_accepting_and_declining_at_once_have_one_outcome(office: Cast) -> None:
    for n in range(5):
        member = invited(office, f"p{n}@example.org")
        user, _ = person(f"p{n}@example.org")
        token = token_of(member)

        def race(way: int, member: Member = member, user: User = user, token: str = token) -> str:
            if way:
                return tried(lambda: answer_invite(user_id=user.pk, member_id=member.pk, status="accepted"))
            return tried(lambda: decline_invite(token=token))

        results = at_once(2, office.company.pk, race)
        assert results.count("done") == 1
        outcome = "rejected" if results[0] == "done" else "accepted"
        assert find(office, member.pk).status == outcome
        assert actions(office, member.pk) == ["invited", outcome]


def test_accepting_and_removing_at_once(office: Cast) -> None:
    """Removal always holds in the end: whoever accepted first is removed after."""
    for n in range(5):
        member = invited(office, f"p{n}@example.org")
        user, _ = person(f"p{n}@example.org")

        def race(way: int, member: Member = member, user: User = user) -> str:
            if way:
                return tried(lambda: answer_invite(user_id=user.pk, member_id=member.pk, status="accepted"))
            return tried(lambda: remove_member(actor=key_actor(office), id=member.pk))

        results = at_once(2, office.company.pk, race)
        assert results[0] == "done"
        assert find(office, member.pk).status == "removed"
        steps = ["invited", "accepted", "removed"] if results[1] == "done" else ["invited", "removed"]
        assert actions(office, member.pk) == steps


def test_accepting_and_expiring_at_once_have_one_outcome(office: Cast) -> None:
    """The clocks of the two are apart, so that each of them has a reason to act."""
    for n in range(5):
        member = invited(office, f"p{n}@example.org")
        user, _ = person(f"p{n}@example.org")
        with office.scope():
            Member.objects.filter(pk=member.pk).update(invite_expires_at=timezone.now() + timedelta(milliseconds=40))

        def race(way: int, member: Member = member, user: User = user, start: float = 0.03 + 0.005 * n) -> str:
            sleep(start)
            if way:
                return tried(lambda: answer_invite(user_id=user.pk, member_id=member.pk, status="accepted"))
            with unscoped(reason="test: the periodic task's scope"):
                for _ in range(10):
                    with transaction.atomic():
                        expire_invites()
                    sleep(0.01)
            return "expired"

        results = at_once(2, office.company.pk, race)
        found = find(office, member.pk)
        assert found.status == ("accepted" if results[1] == "done" else "expired")
        assert results[1] in ("done", "InviteExpired_400")
        assert actions(office, member.pk) == ["invited", found.status]


def test_resending_and_accepting_at_once(office: Cast) -> None:
    for n in range(5):
        member = invited(office, f"p{n}@example.org")
        token = token_of(member)

        def race(way: int, member: Member = member, token: str = token, n: int = n) -> str:
            if way:
                return tried(lambda: accept_as_new_user(token=token, name=f"N{n}", password=PASSWORD, caller=HERE))
            return tried(lambda: resend_invite(actor=key_actor(office), id=member.pk))

        results = at_once(2, office.company.pk, race)
        assert sorted(results) in (["InvalidLink_400", "done"], ["MemberNotInvited_400", "done"])
        assert find(office, member.pk).status == ("accepted" if results[1] == "done" else "invited")
