from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from tests.accounts.auth.helpers import INVALID, OTHER, PASSWORD, kinds_to, mails_to, private, public
from tests.kit.cast import KEY, Answer, Caller, Cast
from tests.kit.factories import UserFactory


@pytest.fixture
def user(db: None) -> User:
    return UserFactory(email="ann@example.org", name="Ann Lee")


def log_in(user: User, password: str = PASSWORD) -> Any:
    return public.post("/login", {"email": user.email, "password": password}).data


def change(session: Any, current: str = PASSWORD, new: str = OTHER) -> Answer:
    return private(session["token"]).put("/change-password", {"currentPassword": current, "newPassword": new})


def test_every_session_ends_and_one_goes_on(user: User) -> None:
    mine, other = log_in(user), log_in(user)
    answer = change(mine)
    assert (answer.status, answer.body["message"]) == (200, "Your password was changed.")
    keys = {"_id", "name", "email", "emailVerifiedAt", "createdAt", "updatedAt", "token", "refreshToken", "expiresIn"}
    assert set(answer.data) == keys
    assert (answer.data["_id"], answer.data["email"], answer.data["expiresIn"]) == (user.pk, "ann@example.org", 3600)
    for session in (mine, other):
        refused = private(session["token"]).get("/memberships")
        assert (refused.status, refused.body["message"]) == (401, INVALID)
        assert public.post("/refresh", {"refreshToken": session["refreshToken"]}).status == 401
    assert private(answer.data["token"]).get("/memberships").status == 200
    assert public.post("/refresh", {"refreshToken": answer.data["refreshToken"]}).status == 200
    user.refresh_from_db()
    assert user.check_password(OTHER)


def test_the_owner_is_told(user: User) -> None:
    change(log_in(user))
    [mail] = mails_to(user.email)
    assert (mail.kind, mail.subject) == ("password_changed", "Your password was changed")
    assert "IP address of the change: 127.0.0.1" in mail.text
    assert "/forgot-password" in mail.text
    assert OTHER not in mail.text + mail.html


def test_a_wrong_current_password_changes_nothing(user: User) -> None:
    session = log_in(user)
    answer = change(session, current="wrong")
    assert (answer.status, answer.body["message"]) == (400, "The current password is wrong.")
    assert "currentPassword" in answer.body["warning"]
    assert private(session["token"]).get("/memberships").status == 200
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert kinds_to(user.email) == []


@pytest.mark.parametrize(
    ("new", "why"), [("short", "too short"), ("ann lee 1", "too similar to the name"), ("24680135790", "numeric")]
)
def test_a_weak_new_password_names_the_field(user: User, new: str, why: str) -> None:
    answer = change(log_in(user), new=new)
    assert answer.status == 400
    assert answer.body["message"].startswith("Validation error: newPassword: ")
    assert why in answer.body["warning"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"currentPassword": PASSWORD},
        {"newPassword": OTHER},
        {"currentPassword": 1, "newPassword": OTHER},
        {"password": OTHER},
    ],
)
def test_bad_bodies(user: User, body: dict[str, Any]) -> None:
    assert private(log_in(user)["token"]).put("/change-password", body).status == 400


def test_guesses_of_a_stolen_session_are_limited(user: User, limits: None) -> None:
    session = log_in(user)
    assert [change(session, current="wrong").status for _ in range(10)] == [400] * 10
    assert change(session).status == 429


def test_only_a_session_may_change_the_password(cast: Cast) -> None:
    body = {"currentPassword": PASSWORD, "newPassword": OTHER}
    assert Caller("/api/private", {"apikey": cast.api_key.key}).put("/change-password", body).status == 401
    assert Caller("/api/private", {}).put("/change-password", body).status == 401
    assert Caller(KEY, {"apikey": cast.api_key.key}).put("/change-password", body).status == 404
    assert cast.session.put("/change-password", body).status == 404
