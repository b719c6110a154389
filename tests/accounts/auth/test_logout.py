from __future__ import annotations

from tests.accounts.auth.helpers import INVALID, PASSWORD, private, public
from tests.kit.cast import SESSION, Caller, Cast


def test_a_logout_ends_its_session_at_once_and_no_other(cast: Cast) -> None:
    body = {"email": cast.owner.email, "password": PASSWORD}
    mine, other = (public.post("/login", body).data for _ in range(2))
    answer = public.post("/logout", {"refreshToken": mine["refreshToken"]})
    assert (answer.status, answer.body) == (
        200,
        {"status": "success", "success": True, "message": "Logged out.", "data": None},
    )
    for session, status in ((mine, 401), (other, 200)):
        headers = {"Authorization": f"Bearer {session['token']}", "authmember": cast.owner.pk}
        assert Caller(SESSION, headers).get("/contact").status == status
        assert private(session["token"]).get("/memberships").status == status
        assert public.post("/refresh", {"refreshToken": session["refreshToken"]}).status == status
    assert private(mine["token"]).get("/memberships").body["message"] == INVALID


def test_an_old_token_of_the_session_ends_it_too(cast: Cast) -> None:
    first = public.post("/login", {"email": cast.owner.email, "password": PASSWORD}).data
    second = public.post("/refresh", {"refreshToken": first["refreshToken"]}).data
    assert public.post("/logout", {"refreshToken": first["refreshToken"]}).status == 200
    assert private(second["token"]).get("/memberships").status == 401


def test_an_unknown_token_is_no_error_and_a_bad_body_is(cast: Cast) -> None:
    assert public.post("/logout", {"refreshToken": "x"}).status == 200
    assert public.post("/logout", {}).status == 400
    assert public.post("/logout", {"refreshToken": 5}).status == 400
