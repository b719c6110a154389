"""POST /member and its resend, the seats that invites take, and their expiry."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import InviteLog, Member, Role
from billing.models import Subscription
from core.jobs import run_due_tasks
from core.models import Event
from tests.accounts.auth.helpers import DEAD, kinds_to, mails_to, public
from tests.accounts.members.invite_helpers import NEW, actions, expire_all, find, invite, last_token, later, person
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory, RoleFactory
from tests.kit.periodic import only

# Inviting


def test_an_invite_is_a_member_a_mail_a_log_and_an_event(cast: Cast) -> None:
    with cast.scope():
        role = RoleFactory(name="Sales")
    answer = cast.session.post("/member", {"email": "New.Person@Example.org", "name": "Nina", "role": role.pk})
    assert answer.status == 201, answer.body
    made = answer.data
    assert (made["email"], made["name"], made["status"], made["user"]) == (NEW, "Nina", "invited", None)
    assert made["role"] == {"_id": role.pk, "name": "Sales"}
    assert made["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    term = find(cast, made["_id"]).invite_expires_at - timezone.now()
    assert timedelta(days=6, hours=23) < term <= timedelta(days=7)
    [mail] = mails_to(NEW)
    assert (mail.kind, mail.company_id) == ("invite", cast.company.pk)
    assert cast.owner.name in mail.subject
    assert cast.company.name in mail.subject
    assert "as Sales" in mail.text
    with cast.scope():
        assert list(InviteLog.objects.values_list("member", "action", "action_by", "role", "email")) == [
            (made["_id"], "invited", cast.owner.pk, role.pk, NEW)
        ]
        event = Event.objects.get(kind="member.invited")
    assert (event.object_id, event.actor_id, event.payload) == (
        made["_id"],
        cast.owner.pk,
        {"email": NEW, "status": "invited", "role": role.pk},
    )


def test_the_default_role_is_given_when_none_is_named(cast: Cast) -> None:
    assert find(cast, invite(cast)).role.name == "Member"
    with cast.scope():
        Role.objects.update(is_default=False)
    answer = cast.session.post("/member", {"email": "other@example.org"})
    assert (answer.status, answer.body["message"]) == (404, "No default role is set. Choose a role.")


def test_bad_bodies_name_the_field(cast: Cast) -> None:
    for body, field in (
        ({}, "email"),
        ({"email": "nobody"}, "email"),
        ({"email": 5}, "email"),
        ({"email": ""}, "email"),
        ({"email": NEW, "role": "x"}, "role"),
        ({"email": NEW, "name": []}, "name"),
        ({"email": NEW, "status": "owner"}, "status"),
    ):
        answer = cast.session.post("/member", body)
        assert answer.status == 400, body
        assert field in answer.body["message"] + answer.body["warning"]
    answer = cast.session.post("/member", {"email": NEW, "role": "0" * 24})
    assert (answer.status, answer.body["message"]) == (404, "Role not found.")
    assert mails_to(NEW) == []


def test_another_companys_role_is_not_given(cast: Cast, outsiders: Cast) -> None:
    answer = cast.session.post("/member", {"email": NEW, "role": outsiders.narrow.role_id})
    assert (answer.status, answer.body["message"]) == (404, "Role not found.")


@pytest.mark.parametrize("status", ["owner", "accepted", "blocked", "invited"])
def test_who_has_a_seat_is_not_invited_again(cast: Cast, status: str) -> None:
    with cast.scope():
        member = MemberFactory(
            status=status, role=cast.narrow.role, invite_expires_at=timezone.now() + timedelta(days=1)
        )
    answer = cast.session.post("/member", {"email": member.email.upper()})
    assert (answer.status, answer.body["message"]) == (400, "This person is already a member or invited.")
    reason = f"POST /member/{member.pk}/resend" if status == "invited" else "is a member or invited"
    assert reason in answer.body["warning"]


def test_a_member_is_known_by_the_accounts_address_too(cast: Cast) -> None:
    cast.narrow.user.email = "moved@example.org"
    cast.narrow.user.save()
    assert (
        cast.session.post("/member", {"email": "moved@example.org"}).body["message"]
        == "This person is already a member or invited."
    )


@pytest.mark.parametrize("status", ["removed", "rejected", "expired"])
def test_who_is_gone_gets_the_same_membership_again(cast: Cast, status: str) -> None:
    with cast.scope():
        member = MemberFactory(status=status, role=cast.narrow.role, name="Old name")
    assert invite(cast, member.email) == member.pk
    again = find(cast, member.pk)
    assert (again.status, again.name, again.role.name, again.user) == ("invited", "Old name", "Member", None)
    assert kinds_to(member.email) == ["invite"]


def test_two_companies_invite_the_same_person(cast: Cast, outsiders: Cast) -> None:
    assert invite(cast) != invite(outsiders)
    _, caller = person()
    assert {row["company"]["name"] for row in caller.get("/invites").data} == {
        cast.company.name,
        outsiders.company.name,
    }


def test_an_answer_does_not_tell_who_has_an_account(cast: Cast) -> None:
    user, _ = person()
    with_account = cast.session.post("/member", {"email": user.email}).data
    without = cast.session.post("/member", {"email": "nobody@example.org"}).data
    assert {key: with_account[key] for key in ("name", "user", "status")} == {
        key: without[key] for key in ("name", "user", "status")
    }


def test_mails_to_one_address_are_limited(cast: Cast, limits: None) -> None:
    id = invite(cast)
    answers = [cast.session.post(f"/member/{id}/resend") for _ in range(11)]
    assert [answer.status for answer in answers] == [200] * 10 + [429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert cast.session.post("/member", {"email": "other@example.org"}).status == 201


# Sending again


def test_resending_makes_a_new_link_and_kills_the_old_one(cast: Cast) -> None:
    id = invite(cast)
    old = last_token()
    with later(days=6):
        answer = cast.key.post(f"/member/{id}/resend")
        assert (answer.status, answer.data["status"]) == (200, "invited")
        assert find(cast, id).invite_expires_at == timezone.now() + timedelta(days=7)
    assert public.post("/invite", {"token": old}).body["message"] == DEAD
    assert public.post("/invite", {"token": last_token()}).status == 200
    assert actions(cast, id) == ["invited", "resent"]


@pytest.mark.parametrize("status", ["owner", "accepted", "blocked", "removed", "rejected"])
def test_only_invites_are_sent_again(cast: Cast, status: str) -> None:
    with cast.scope():
        member = MemberFactory(status=status, role=cast.narrow.role)
    answer = cast.session.post(f"/member/{member.pk}/resend")
    assert (answer.status, answer.body["message"]) == (400, "This member has no open invite.")
    assert mails_to(member.email) == []


def test_an_expired_invite_is_sent_again(cast: Cast) -> None:
    id = invite(cast)
    with later(days=8):
        expire_all()
        assert find(cast, id).status == "expired"
        assert Caller(SESSION, session_headers(cast.owner)).post(f"/member/{id}/resend").status == 200
        assert find(cast, id).status == "invited"
        assert public.post("/invite", {"token": last_token()}).status == 200


# Seats


def seats(cast: Cast, number: int) -> None:
    with cast.scope():
        Subscription.objects.update(limits={"member": number})


def test_a_full_plan_takes_no_more_members(cast: Cast) -> None:
    seats(cast, 3)
    first = invite(cast)
    full = cast.session.post("/member", {"email": "fourth@example.org"})
    assert (full.status, full.body["message"]) == (400, "Your plan has no free seat for another member.")
    with cast.scope():
        assert Member.objects.count() == 3
    assert mails_to("fourth@example.org") == []
    assert cast.session.post(f"/member/{first}/resend").status == 200
    assert cast.session.put(f"/member/{cast.narrow.pk}", {"status": "blocked"}).status == 200
    assert cast.session.post("/member", {"email": "fourth@example.org"}).status == 400
    assert cast.session.delete(f"/member/{first}").status == 200
    assert cast.session.post("/member", {"email": "fourth@example.org"}).status == 201
    assert cast.key.post("/member", {"email": "fifth@example.org"}).status == 201


def test_an_expired_invite_gives_its_seat_back(cast: Cast) -> None:
    seats(cast, 3)
    first = invite(cast)
    with later(days=8):
        session = Caller(SESSION, session_headers(cast.owner))
        assert session.post("/member", {"email": "fourth@example.org"}).status == 201
        full = session.post(f"/member/{first}/resend")
        assert (full.status, full.body["message"]) == (400, "Your plan has no free seat for another member.")


# Expiry


def test_the_periodic_task_marks_what_is_over_and_nothing_else(
    cast: Cast, outsiders: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "invites.expire")
    over, other = invite(cast), invite(outsiders)
    with later(days=3):
        open_still = find(
            cast, Caller(SESSION, session_headers(cast.owner)).post("/member", {"email": "b@example.org"}).data["_id"]
        )
    with later(days=8):
        run_due_tasks()
        assert (find(cast, over).status, find(outsiders, other).status) == ("expired", "expired")
    assert (find(cast, open_still.pk).status, find(cast, cast.narrow.pk).status) == ("invited", "accepted")
    with cast.scope():
        log = InviteLog.objects.get(action="expired")
    assert (log.member_id, log.action_by_id, log.company_id) == (over, None, cast.company.pk)
