"""GET /invites, POST /invite/:id, and the public endpoints of the links in mails."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.auth.links import make_token
from accounts.auth.sessions import tokens
from accounts.models import InviteLog, Member, User
from core.models import Event
from tests.accounts.auth.helpers import DEAD, OTHER, PASSWORD, kinds_to, logins, mails_to, private, public, register
from tests.accounts.members.invite_helpers import NEW, actions, expire_all, find, invite, last_token, later, person
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import MemberFactory

Status = Member.Status


# The person's own endpoints


def test_invites_to_ones_own_address_and_no_other(cast: Cast, outsiders: Cast) -> None:
    id = invite(cast, role=cast.narrow.role_id)
    invite(outsiders, "somebody.else@example.org")
    _, caller = person()
    answer = caller.get("/invites")
    assert (answer.status, answer.body["totalCount"]) == (200, 1)
    [row] = answer.data
    assert (row["_id"], row["status"], row["email"]) == (id, "invited", NEW)
    assert row["company"] == {"_id": cast.company.pk, "name": cast.company.name, "email": cast.company.email}
    assert row["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert row["role"] == {"_id": cast.narrow.role_id, "name": cast.narrow.role.name}


def test_an_address_that_is_not_verified_has_no_invites(cast: Cast) -> None:
    id = invite(cast)
    _, caller = person(email_verified_at=None)
    assert caller.get("/invites").data == []
    assert caller.post(f"/invite/{id}", {"status": "accepted"}).status == 404
    assert find(cast, id).status == "invited"


def test_accepting_opens_the_company(cast: Cast) -> None:
    id = invite(cast, role=cast.narrow.role_id)
    user, caller = person(name="Nina New")
    answer = caller.post(f"/invite/{id}", {"status": "accepted"})
    assert (answer.status, answer.data["status"], answer.data["name"]) == (200, "accepted", "Nina New")
    assert answer.data["company"]["_id"] == cast.company.pk
    member = find(cast, id)
    assert (member.user, member.invite_nonce) == (user, "")
    assert Caller(SESSION, session_headers(member)).get("/contact").status == 200
    assert caller.get("/invites").data == []
    assert actions(cast, id) == ["invited", "accepted"]
    with cast.scope():
        assert InviteLog.objects.get(action="accepted").action_by_id == id
        assert Event.objects.get(kind="member.accepted").payload == {
            "email": NEW,
            "status": "accepted",
            "role": cast.narrow.role_id,
        }
    [notice] = [mail for mail in mails_to(cast.owner.email) if mail.kind == "notice_member_joined"]
    assert notice.subject == f"Nina New joined {cast.company.name}"


def test_rejecting_closes_the_invite(cast: Cast) -> None:
    id = invite(cast)
    _, caller = person()
    answer = caller.post(f"/invite/{id}", {"status": "rejected"})
    assert (answer.status, answer.data["status"]) == (200, "rejected")
    again = caller.post(f"/invite/{id}", {"status": "accepted"})
    assert (again.status, again.body["message"]) == (404, "Member not found.")
    assert public.post("/invite", {"token": last_token()}).body["message"] == DEAD
    assert actions(cast, id) == ["invited", "rejected"]
    assert "notice_member_joined" not in kinds_to(cast.owner.email)


@pytest.mark.parametrize(
    "body", [{}, {"status": ""}, {"status": "blocked"}, {"status": "owner"}, {"status": "ACCEPTED"}]
)
def test_other_answers_are_refused(cast: Cast, body: dict[str, Any]) -> None:
    id = invite(cast)
    _, caller = person()
    answer = caller.post(f"/invite/{id}", body)
    assert answer.status == 400
    if body.get("status") != "":
        assert answer.body["message"] == "Accept or decline the invite."
    assert find(cast, id).status == "invited"


def test_somebody_elses_invite_looks_missing(cast: Cast) -> None:
    id = invite(cast)
    _, caller = person("somebody.else@example.org")
    missing = caller.post(f"/invite/{'0' * 24}", {"status": "accepted"})
    foreign = caller.post(f"/invite/{id}", {"status": "accepted"})
    assert (foreign.status, foreign.body) == (missing.status, missing.body) == (404, missing.body)
    assert caller.post("/invite/xyz", {"status": "accepted"}).body["message"] == "Invalid format for field _id: xyz"
    assert find(cast, id).status == "invited"


def test_an_expired_invite_is_not_accepted_whether_or_not_it_is_marked(cast: Cast) -> None:
    id = invite(cast)
    user, _ = person()
    with later(days=7, seconds=1):
        caller = private(tokens.issue(user).access)
        for mark in (False, True):
            if mark:
                expire_all()
            answer = caller.post(f"/invite/{id}", {"status": "accepted"})
            assert (answer.status, answer.body["message"]) == (400, "This invite has expired. Ask for a new invite.")
            assert caller.get("/invites").data == []
            assert (
                public.post("/invite", {"token": last_token()}).body["message"]
                == "This invite has expired. Ask for a new invite."
            )
    assert find(cast, id).status == "expired"


def test_a_person_with_another_membership_there_is_not_doubled(cast: Cast) -> None:
    id = invite(cast)
    with cast.scope():
        member = MemberFactory(status=Status.ACCEPTED, role=cast.narrow.role, email="first@example.org")
        User.objects.filter(pk=member.user_id).update(email="old@example.org")
    User.objects.filter(pk=member.user_id).update(email=NEW)
    caller = private(tokens.issue(User.objects.get(pk=member.user_id)).access)
    answer = caller.post(f"/invite/{id}", {"status": "accepted"})
    assert (answer.status, answer.body["message"]) == (400, "This person is already a member or invited.")
    with cast.scope():
        Member.objects.filter(pk=member.pk).update(status=Status.REMOVED)
    assert caller.post(f"/invite/{id}", {"status": "accepted"}).status == 200
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
    assert (
        Caller(SESSION, {"Authorization": f"Bearer {answer.data['token']}", "authmember": id}).get("/contact").status
        == 200
    )
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
    assert (
        public.post("/accept-invite", {"token": last_token(), "password": PASSWORD}).data["user"]["name"]
        == "Nina from the list"
    )


def test_declining_by_the_link(cast: Cast) -> None:
    id = invite(cast)
    assert public.post("/decline-invite", {"token": last_token()}).status == 200
    assert find(cast, id).status == "rejected"
    assert public.post("/decline-invite", {"token": last_token()}).body["message"] == DEAD
    assert actions(cast, id) == ["invited", "rejected"]


def test_a_withdrawn_invite_has_a_dead_link(cast: Cast) -> None:
    id = invite(cast)
    assert cast.session.delete(f"/member/{id}").data["deletedCount"] == 1
    for path, body in (
        ("/invite", {}),
        ("/decline-invite", {}),
        ("/accept-invite", {"name": "N", "password": PASSWORD}),
    ):
        answer = public.post(path, {"token": last_token(), **body})
        assert (answer.status, answer.body["message"]) == (400, DEAD)
    assert cast.session.post("/member", {"email": NEW}).status == 201
    assert public.post("/invite", {"token": last_token()}).status == 200


def test_forged_and_foreign_tokens_are_dead(cast: Cast) -> None:

    id = invite(cast)
    nonce = find(cast, id).invite_nonce
    good = last_token()
    for bad in (
        "x",
        good[:-2],
        good + "x",
        make_token("reset-password", id, nonce),
        make_token("invite", "0" * 24, nonce),
        "é" * 10,
    ):
        answer = public.post("/invite", {"token": bad})
        assert (answer.status, answer.body["message"]) == (400, DEAD), bad


def test_the_nonce_is_in_no_answer(cast: Cast) -> None:
    id = invite(cast)
    nonce = find(cast, id).invite_nonce
    for answer in (cast.session.get("/member"), cast.session.get(f"/member/{id}"), cast.session.get("/logs/invite")):
        assert nonce not in str(answer.body)
