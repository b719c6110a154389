"""GET and DELETE /api/private/sessions, and their page: whoever is logged in sees where, and ends it at once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from accounts.auth.sessions.devices import device_of
from accounts.models import RefreshToken
from core.ids import new_id
from tests.accounts.auth.helpers import PASSWORD, at, private, public
from tests.kit.cast import Caller, Cast
from tests.kit.html import html_of
from tests.web.helpers import at as page_at
from tests.web.helpers import enter, text_of, toast_of

FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0"
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Mobile/15E148 Safari/604.1"


def log_in(cast: Cast, ip: str = "203.0.113.9", agent: str = FIREFOX) -> Any:
    body = {"email": cast.owner.email, "password": PASSWORD}
    return at(ip, "/login", body, HTTP_USER_AGENT=agent).data


def works(session: dict[str, Any], cast: Cast) -> bool:
    caller = Caller("/api/protected", {"Authorization": f"Bearer {session['token']}", "authmember": cast.owner.pk})
    found = {caller.get("/tag").status, private(session["token"]).get("/profile").status}
    assert len(found) == 1
    return found == {200}


def test_sessions_say_where_they_are(cast: Cast, outsiders: Cast) -> None:
    first, second = log_in(cast), log_in(cast, "2001:db8::7", IPHONE)
    log_in(outsiders)
    with time_machine.travel(timezone.now() + timedelta(minutes=50), tick=False):
        renewed = at(
            "198.51.100.4", "/refresh", {"refreshToken": first["refreshToken"]}, HTTP_USER_AGENT="tool/2.1"
        ).data
        answer = private(renewed["token"]).get("/sessions")
    assert (answer.status, answer.body["totalCount"], answer.body["nextCursor"]) == (200, 3, None)
    mine, other = (one for one in answer.data if one["userAgent"])  # the third is the cast's own
    assert (mine["isCurrent"], mine["device"], mine["ip"], mine["userAgent"]) == (
        True,
        "tool",
        "198.51.100.4",
        "tool/2.1",
    )
    assert (other["isCurrent"], other["device"], other["ip"]) == (False, "Safari on iPhone", "2001:db8::7")
    times = [mine["createdAt"], other["lastUsedAt"], mine["lastUsedAt"], mine["expiresAt"]]
    assert [one[:19] for one in times] == sorted(one[:19] for one in times)
    assert private(second["token"]).get("/sessions").data[0]["_id"] == other["_id"]


def test_one_session_ends_at_once_and_nobody_else_s_does(cast: Cast, outsiders: Cast) -> None:
    mine, other, theirs = log_in(cast), log_in(cast), log_in(outsiders)
    caller = private(mine["token"])
    wanted = next(one["_id"] for one in caller.get("/sessions").data if not one["isCurrent"])
    foreign = private(theirs["token"]).get("/sessions").data[0]["_id"]
    for unknown in (foreign, new_id()):
        answer = caller.delete(f"/sessions/{unknown}")
        assert (answer.status, answer.body["message"]) == (404, "Session not found.")
    assert works(other, cast)
    answer = caller.delete(f"/sessions/{wanted}")
    assert (answer.status, answer.body["message"]) == (200, "Session ended.")
    assert (works(mine, cast), works(other, cast), works(theirs, outsiders)) == (True, False, True)
    assert public.post("/refresh", {"refreshToken": other["refreshToken"]}).status == 401
    assert caller.delete(f"/sessions/{wanted}").status == 404


def test_all_others_end_and_this_one_goes_on(cast: Cast, outsiders: Cast) -> None:
    mine, others, theirs = log_in(cast), [log_in(cast), log_in(cast)], log_in(outsiders)
    browser = enter(cast.owner)
    answer = private(mine["token"]).delete("/sessions")
    assert (answer.status, answer.data) == (200, {"endedCount": 4})  # with the cast's own
    assert (works(mine, cast), works(theirs, outsiders)) == (True, True)
    assert not any(works(one, cast) for one in others)
    assert browser.get(page_at(cast.owner)).status_code == 302
    assert public.post("/refresh", {"refreshToken": mine["refreshToken"]}).status == 200


def test_the_page_of_sessions(cast: Cast) -> None:
    client, other, program = enter(cast.owner), enter(cast.owner), log_in(cast, agent="<b>tool</b>/1")
    page = client.get("/account/sessions")
    assert "This session" in text_of(page)
    assert "<b>tool" not in html_of(page)
    wanted = next(one["_id"] for one in private(program["token"]).get("/sessions").data if one["isCurrent"])
    assert "Session ended" in toast_of(client, client.post("/account/sessions", {"do": "end", "id": wanted}))
    assert not works(program, cast)
    done = client.post("/account/sessions", {"do": "others"})
    assert "Logged out on all other devices" in toast_of(client, done)
    assert (client.get("/account").status_code, other.get("/account").status_code) == (200, 302)
    assert "No other sessions." in text_of(client.get("/account/sessions"))


def test_a_browser_writes_its_use_every_15_minutes(cast: Cast) -> None:
    client = enter(cast.owner)
    token = RefreshToken.objects.filter(user=cast.owner.user).latest("created_at")
    for minutes, seen in ((10, None), (20, 20), (30, 20), (40, 40)):
        with time_machine.travel(token.created_at + timedelta(minutes=minutes), tick=False):
            assert client.get(page_at(cast.owner, "contacts")).status_code == 200
        token.refresh_from_db()
        assert token.last_used_at == (token.created_at + timedelta(minutes=seen) if seen else None)


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (FIREFOX, "Firefox on Windows"),
        (EDGE, "Edge on Windows"),
        ("python-httpx/0.28", "python-httpx"),
        ("", "Unknown device"),
    ],
)
def test_devices_have_names(agent: str, device: str) -> None:
    assert device_of(agent) == device
