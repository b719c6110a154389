"""POST /member and its resend, GET /invites, POST /invite/:id, the links of the mails, and what happens at once."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from time import sleep
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.utils import timezone

from accounts import tokens
from accounts.links import make_token
from accounts.models import InviteLog, Mail, Member, Role, User
from accounts.services.invites import (
    accept_as_new_user,
    answer_invite,
    decline_invite,
    expire_invites,
    invite_member,
    link_of,
    resend_invite,
)
from accounts.services.members import remove_member
from billing.models import Subscription
from core.access import Actor, Door, Entitlement, limited
from core.callers import Caller as Origin
from core.errors import ApiError
from core.models import Chore, Event
from core.periodic import CHORES, do_chores
from core.tenancy import unscoped
from tests.accounts.doors import DEAD, OTHER, PASSWORD, kinds_to, logins, mails_to, private, public, register, token_in
from tests.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.factories import MemberFactory, RoleFactory, UserFactory
from tests.threads import at_once

NEW = "new.person@example.org"
HERE = Origin("127.0.0.1", "test")
Status = Member.Status


def invite(cast: Cast, email: str = NEW, **values: Any) -> str:
    """Invite the address; the membership's id."""
    answer = cast.session.post("/member", {"email": email, **values})
    assert answer.status == 201, answer.body
    return answer.data["_id"]


def find(cast: Cast, id: str) -> Member:
    with cast.scope():
        return Member.objects.select_related("role", "user").get(pk=id)


def person(email: str = NEW, **values: Any) -> tuple[User, Caller]:
    """A user with a verified address, and their private door."""
    user = UserFactory(email=email, **values)
    return user, private(tokens.issue(user).access)


def later(**span: int) -> Any:
    return time_machine.travel(timezone.now() + timedelta(**span), tick=False)


def actions(cast: Cast, id: str) -> list[str]:
    with cast.scope():
        return list(InviteLog.objects.filter(member_id=id).order_by("created_at", "pk").values_list("action", flat=True))


def last_token(email: str = NEW) -> str:
    return token_in([mail for mail in mails_to(email) if mail.kind == "invite"][-1])


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
    assert (answer.status, answer.body["message"]) == (404, "Default role not found")


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
    assert (answer.status, answer.body["message"]) == (404, "Role not found")
    assert mails_to(NEW) == []


def test_another_companys_role_is_not_given(cast: Cast, outsiders: Cast) -> None:
    answer = cast.session.post("/member", {"email": NEW, "role": outsiders.narrow.role_id})
    assert (answer.status, answer.body["message"]) == (404, "Role not found")


@pytest.mark.parametrize("status", ["owner", "accepted", "blocked", "invited"])
def test_who_has_a_seat_is_not_invited_again(cast: Cast, status: str) -> None:
    with cast.scope():
        member = MemberFactory(status=status, role=cast.narrow.role, invite_expires_at=timezone.now() + timedelta(days=1))
    answer = cast.session.post("/member", {"email": member.email.upper()})
    assert (answer.status, answer.body["message"]) == (400, "The member already exists")
    assert (f"POST /member/{member.pk}/resend" if status == "invited" else f"the status {status}") in answer.body["warning"]


def test_a_member_is_known_by_the_accounts_address_too(cast: Cast) -> None:
    cast.narrow.user.email = "moved@example.org"
    cast.narrow.user.save()
    assert cast.session.post("/member", {"email": "moved@example.org"}).body["message"] == "The member already exists"


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
    _, door = person()
    assert {row["company"]["name"] for row in door.get("/invites").data} == {cast.company.name, outsiders.company.name}


def test_an_answer_does_not_tell_who_has_an_account(cast: Cast) -> None:
    user, _ = person()
    with_account = cast.session.post("/member", {"email": user.email}).data
    without = cast.session.post("/member", {"email": "nobody@example.org"}).data
    assert {key: with_account[key] for key in ("name", "user", "status")} == {key: without[key] for key in ("name", "user", "status")}


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
    assert (answer.status, answer.body["message"]) == (400, "The member is not invited")
    assert mails_to(member.email) == []


def test_an_expired_invite_is_sent_again(cast: Cast) -> None:
    id = invite(cast)
    with later(days=8):
        expire_all()
        assert find(cast, id).status == "expired"
        assert Caller(SESSION, session_headers(cast.owner)).post(f"/member/{id}/resend").status == 200
        assert find(cast, id).status == "invited"
        assert public.post("/invite", {"token": last_token()}).status == 200


# The person's own door


def test_invites_to_ones_own_address_and_no_other(cast: Cast, outsiders: Cast) -> None:
    id = invite(cast, role=cast.narrow.role_id)
    invite(outsiders, "somebody.else@example.org")
    _, door = person()
    answer = door.get("/invites")
    assert (answer.status, answer.body["totalCount"]) == (200, 1)
    [row] = answer.data
    assert (row["_id"], row["status"], row["email"]) == (id, "invited", NEW)
    assert row["company"] == {"_id": cast.company.pk, "name": cast.company.name, "email": cast.company.email}
    assert row["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert row["role"] == {"_id": cast.narrow.role_id, "name": cast.narrow.role.name}


def test_an_address_that_is_not_verified_has_no_invites(cast: Cast) -> None:
    id = invite(cast)
    _, door = person(email_verified_at=None)
    assert door.get("/invites").data == []
    assert door.post(f"/invite/{id}", {"status": "accepted"}).status == 404
    assert find(cast, id).status == "invited"


def test_accepting_opens_the_company(cast: Cast) -> None:
    id = invite(cast, role=cast.narrow.role_id)
    user, door = person(name="Nina New")
    answer = door.post(f"/invite/{id}", {"status": "accepted"})
    assert (answer.status, answer.data["status"], answer.data["name"]) == (200, "accepted", "Nina New")
    assert answer.data["company"]["_id"] == cast.company.pk
    member = find(cast, id)
    assert (member.user, member.invite_nonce) == (user, "")
    assert Caller(SESSION, session_headers(member)).get("/contact").status == 200
    assert door.get("/invites").data == []
    assert actions(cast, id) == ["invited", "accepted"]
    with cast.scope():
        assert InviteLog.objects.get(action="accepted").action_by_id == id
        assert Event.objects.get(kind="member.accepted").payload == {"email": NEW, "status": "accepted", "role": cast.narrow.role_id}
    [notice] = [mail for mail in mails_to(cast.owner.email) if mail.kind == "notice_member_joined"]
    assert notice.subject == f"Nina New joined {cast.company.name}"


def test_rejecting_closes_the_invite(cast: Cast) -> None:
    id = invite(cast)
    _, door = person()
    answer = door.post(f"/invite/{id}", {"status": "rejected"})
    assert (answer.status, answer.data["status"]) == (200, "rejected")
    again = door.post(f"/invite/{id}", {"status": "accepted"})
    assert (again.status, again.body["message"]) == (404, "Member not found")
    assert public.post("/invite", {"token": last_token()}).body["message"] == DEAD
    assert actions(cast, id) == ["invited", "rejected"]
    assert "notice_member_joined" not in kinds_to(cast.owner.email)


@pytest.mark.parametrize("body", [{}, {"status": ""}, {"status": "blocked"}, {"status": "owner"}, {"status": "ACCEPTED"}])
def test_other_answers_are_refused(cast: Cast, body: dict[str, Any]) -> None:
    id = invite(cast)
    _, door = person()
    answer = door.post(f"/invite/{id}", body)
    assert answer.status == 400
    if body.get("status") != "":
        assert answer.body["message"] == "Invalid invite status"
    assert find(cast, id).status == "invited"


def test_somebody_elses_invite_looks_missing(cast: Cast) -> None:
    id = invite(cast)
    _, door = person("somebody.else@example.org")
    missing = door.post(f"/invite/{'0' * 24}", {"status": "accepted"})
    foreign = door.post(f"/invite/{id}", {"status": "accepted"})
    assert (foreign.status, foreign.body) == (missing.status, missing.body) == (404, missing.body)
    assert door.post("/invite/xyz", {"status": "accepted"}).body["message"] == "Invalid format for field _id: xyz"
    assert find(cast, id).status == "invited"


def test_an_expired_invite_is_not_accepted_whether_or_not_it_is_marked(cast: Cast) -> None:
    id = invite(cast)
    user, _ = person()
    with later(days=7, seconds=1):
        door = private(tokens.issue(user).access)
        for mark in (False, True):
            if mark:
                expire_all()
            answer = door.post(f"/invite/{id}", {"status": "accepted"})
            assert (answer.status, answer.body["message"]) == (400, "The invite has expired")
            assert door.get("/invites").data == []
            assert public.post("/invite", {"token": last_token()}).body["message"] == "The invite has expired"
    assert find(cast, id).status == "expired"


def test_a_person_with_another_membership_there_is_not_doubled(cast: Cast) -> None:
    id = invite(cast)
    with cast.scope():
        member = MemberFactory(status=Status.ACCEPTED, role=cast.narrow.role, email="first@example.org")
        User.objects.filter(pk=member.user_id).update(email="old@example.org")
    User.objects.filter(pk=member.user_id).update(email=NEW)
    door = private(tokens.issue(User.objects.get(pk=member.user_id)).access)
    answer = door.post(f"/invite/{id}", {"status": "accepted"})
    assert (answer.status, answer.body["message"]) == (400, "The member already exists")
    with cast.scope():
        Member.objects.filter(pk=member.pk).update(status=Status.REMOVED)
    assert door.post(f"/invite/{id}", {"status": "accepted"}).status == 200
    assert (find(cast, member.pk).user, find(cast, id).user_id) == (None, member.user_id)


def test_an_invite_waits_for_who_registers_by_themselves(cast: Cast) -> None:
    id = invite(cast)
    token = register(NEW)
    session = public.post("/verify-email", {"token": token}).data
    [row] = private(session["token"]).get("/invites").data
    assert row["_id"] == id
    assert private(session["token"]).post(f"/invite/{id}", {"status": "accepted"}).status == 200


# The link of the mail


def test_the_link_shows_what_it_is_for(cast: Cast) -> None:
    invite(cast, name="Nina", role=cast.narrow.role_id)
    answer = public.post("/invite", {"token": last_token()})
    assert answer.status == 200, answer.body
    shown = answer.data
    assert shown["company"]["name"] == cast.company.name
    assert (shown["email"], shown["name"], shown["hasAccount"]) == (NEW, "Nina", False)
    assert shown["role"]["name"] == cast.narrow.role.name
    assert shown["createdBy"]["name"] == cast.owner.name
    assert shown["expiresAt"] is not None
    person()
    assert public.post("/invite", {"token": last_token()}).data["hasAccount"] is True


def test_a_new_user_accepts_and_is_logged_in(cast: Cast) -> None:
    id = invite(cast, role=cast.narrow.role_id)
    answer = public.post("/accept-invite", {"token": last_token(), "name": "Nina New", "password": PASSWORD})
    assert answer.status == 201, answer.body
    assert answer.data["user"]["email"] == NEW
    [membership] = answer.data["memberships"]
    assert (membership["_id"], membership["status"], membership["company"]["_id"]) == (id, "accepted", cast.company.pk)
    assert Caller(SESSION, {"Authorization": f"Bearer {answer.data['token']}", "authmember": id}).get("/contact").status == 200
    user = User.objects.get(email=NEW)
    assert user.email_verified_at is not None
    assert user.name == find(cast, id).name == "Nina New"
    assert public.post("/login", {"email": NEW, "password": PASSWORD}).status == 200
    assert logins(user=user)[0].reason == "accepted an invite"
    again = public.post("/accept-invite", {"token": last_token(), "name": "Nina", "password": PASSWORD})
    assert (again.status, again.body["message"]) == (400, DEAD)


def test_a_weak_password_is_named_and_makes_nothing(cast: Cast) -> None:
    id = invite(cast)
    for password in ("12345678", "short", NEW):
        answer = public.post("/accept-invite", {"token": last_token(), "name": "Nina", "password": password})
        assert answer.status == 400
        assert "password" in answer.body["message"]
    for body, field in (
        ({"password": PASSWORD}, "token"),
        ({"token": last_token()}, "password"),
        ({"token": last_token(), "password": 5}, "password"),
        ({"token": last_token(), "password": PASSWORD, "email": "other@example.org"}, "email"),
    ):
        answer = public.post("/accept-invite", body)
        assert answer.status == 400
        assert field in answer.body["message"] + answer.body["warning"]
    assert not User.objects.filter(email=NEW).exists()
    assert find(cast, id).status == "invited"


def test_who_has_an_account_logs_in_instead(cast: Cast) -> None:
    id = invite(cast)
    user, _ = person()
    answer = public.post("/accept-invite", {"token": last_token(), "name": "Eve", "password": OTHER})
    assert answer.status == 400
    assert "log in with it" in answer.body["warning"]
    assert public.post("/login", {"email": NEW, "password": PASSWORD}).status == 200
    assert find(cast, id).status == "invited"
    user.refresh_from_db()
    assert user.name != "Eve"


def test_an_account_that_nobody_verified_is_taken_over(cast: Cast) -> None:
    """Whoever registers an address before its owner does is shut out by the mail that only the owner can read."""
    invite(cast)
    squatter, _ = person(email_verified_at=None)
    held = tokens.issue(squatter)
    answer = public.post("/accept-invite", {"token": last_token(), "name": "Nina", "password": OTHER})
    assert answer.status == 201, answer.body
    assert public.post("/login", {"email": NEW, "password": PASSWORD}).status == 400
    assert public.post("/login", {"email": NEW, "password": OTHER}).status == 200
    assert public.post("/refresh", {"refreshToken": held.refresh}).status == 401
    assert private(held.access).get("/invites").status == 401
    assert private(answer.data["token"]).get("/memberships").status == 200


def test_the_name_in_the_invite_is_used_when_none_is_given(cast: Cast) -> None:
    invite(cast, name="Nina from the list")
    assert public.post("/accept-invite", {"token": last_token(), "password": PASSWORD}).data["user"]["name"] == "Nina from the list"


def test_declining_by_the_link(cast: Cast) -> None:
    id = invite(cast)
    assert public.post("/decline-invite", {"token": last_token()}).status == 200
    assert find(cast, id).status == "rejected"
    assert public.post("/decline-invite", {"token": last_token()}).body["message"] == DEAD
    assert actions(cast, id) == ["invited", "rejected"]


def test_a_withdrawn_invite_has_a_dead_link(cast: Cast) -> None:
    id = invite(cast)
    assert cast.session.delete(f"/member/{id}").data == {"deletedCount": 1}
    for path, body in (("/invite", {}), ("/decline-invite", {}), ("/accept-invite", {"name": "N", "password": PASSWORD})):
        answer = public.post(path, {"token": last_token(), **body})
        assert (answer.status, answer.body["message"]) == (400, DEAD)
    assert cast.session.post("/member", {"email": NEW}).status == 201
    assert public.post("/invite", {"token": last_token()}).status == 200


def test_forged_and_foreign_tokens_are_dead(cast: Cast) -> None:

    id = invite(cast)
    nonce = find(cast, id).invite_nonce
    good = last_token()
    for bad in ("x", good[:-2], good + "x", make_token("reset-password", id, nonce), make_token("invite", "0" * 24, nonce), "é" * 10):
        answer = public.post("/invite", {"token": bad})
        assert (answer.status, answer.body["message"]) == (400, DEAD), bad


def test_the_nonce_is_in_no_answer(cast: Cast) -> None:
    id = invite(cast)
    nonce = find(cast, id).invite_nonce
    for answer in (cast.session.get("/member"), cast.session.get(f"/member/{id}"), cast.session.get("/logs/invite")):
        assert nonce not in str(answer.body)


# Seats


def seats(cast: Cast, number: int) -> None:
    with cast.scope():
        Subscription.objects.update(limits={"member": number})


def test_a_full_plan_takes_no_more_members(cast: Cast) -> None:
    seats(cast, 3)
    first = invite(cast)
    full = cast.session.post("/member", {"email": "fourth@example.org"})
    assert (full.status, full.body["message"]) == (400, "Your plan does not allow that many users")
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
        assert (full.status, full.body["message"]) == (400, "Your plan does not allow that many users")


# Expiry


def expire_all() -> None:
    with unscoped(reason="test: the chore's scope"):
        while expire_invites():
            pass


def test_the_chore_marks_what_is_over_and_nothing_else(cast: Cast, outsiders: Cast) -> None:
    over, other = invite(cast), invite(outsiders)
    with later(days=3):
        open_still = find(cast, Caller(SESSION, session_headers(cast.owner)).post("/member", {"email": "b@example.org"}).data["_id"])
    with later(days=8):
        do_chores_named("invites.expire")
        assert (find(cast, over).status, find(outsiders, other).status) == ("expired", "expired")
    assert (find(cast, open_still.pk).status, find(cast, cast.narrow.pk).status) == ("invited", "accepted")
    with cast.scope():
        log = InviteLog.objects.get(action="expired")
    assert (log.member_id, log.action_by_id, log.company_id) == (over, None, cast.company.pk)


def do_chores_named(name: str) -> None:
    others = [other for other in CHORES if other != name]
    for chore in others:
        Chore.objects.update_or_create(name=chore, defaults={"due_at": timezone.now() + timedelta(days=1)})
    do_chores()


# At once


@pytest.fixture
def office(transactional_db: None) -> Cast:
    """A committed company, so that threads see it."""
    return make_cast()


def key_actor(cast: Cast) -> Actor:
    return Actor(Door.KEY, cast.owner.user_id, cast.company.pk, cast.owner.pk)


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
        with limited(Entitlement(limits={"member": 5})):
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
    results = at_once(8, office.company.pk, lambda n: tried(lambda: answer_invite(user_id=user.pk, member_id=member.pk, status="accepted")))
    assert Counter(results) == {"done": 1, "MemberNotFound_404": 7}
    assert actions(office, member.pk) == ["invited", "accepted"]


def test_a_link_used_many_times_at_once_makes_one_account(office: Cast) -> None:
    member = invited(office)
    token = token_of(member)

    def accept(n: int) -> str:
        return tried(lambda: accept_as_new_user(token=token, name=f"N{n}", password=PASSWORD, caller=HERE))

    results = Counter(at_once(8, office.company.pk, accept))
    assert results["done"] == 1
    assert set(results) <= {"done", "DeadLink", "MemberNotFound_404"}
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
            with unscoped(reason="test: the chore's scope"):
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
        assert sorted(results) in (["DeadLink", "done"], ["MemberNotInvited_400", "done"])
        assert find(office, member.pk).status == ("accepted" if results[1] == "done" else "invited")
