"""The demo's Google: a member connects a calendar on its page, and sees its busy times and links in bookings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import time_machine

from config.demo_vendors import DEMO_CLIENT, demo_vendors, google_file
from config.local.google_standin import ACCOUNT, server
from core.events import deliver
from crm.models import Meeting
from outreach.models import CalendarConnection
from tests.kit.cast import Cast
from tests.outreach.helpers import work
from tests.outreach.site.booking.helpers import book, make_page, slots


@pytest.fixture
def standin(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    assert demo_vendors(tmp_path) == {}
    google_file(tmp_path).write_text(json.dumps({"port": 1}))
    assert demo_vendors(tmp_path) == {"gmail": "http://127.0.0.1:1"}
    assert demo_vendors(tmp_path, google=False) == {}
    monkeypatch.setattr(server, "read_state", lambda _: {"port": 0})
    with server.Server(google_file(tmp_path)) as running:
        Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        url = f"http://127.0.0.1:{running.server_port}"
        settings.VENDOR_BASE_URLS, settings.OUTBOUND_PRIVATE_HOSTS = {"gmail": url}, ["127.0.0.0/8"]
        settings.GOOGLE_CLIENT_ID, settings.GOOGLE_CLIENT_SECRET = DEMO_CLIENT
        yield url
        running.shutdown()


def ask(standin: str, method: str, address: str, body: str = "") -> tuple[int, str, str]:
    """Ask as a browser does. Returns status, text, and where it leads on."""
    connection = HTTPConnection(urlsplit(standin).netloc, timeout=10)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    connection.request(method, address, body, kind)
    answer = connection.getresponse()
    return answer.status, answer.read().decode(), answer.headers.get("Location", "")


def decide(standin: str, url: str, do: str) -> dict[str, str]:
    """Open the consent page and press a button. Returns what comes back to the service."""
    parts = urlsplit(url)
    assert url.startswith(standin)
    status, page, _ = ask(standin, "GET", f"{parts.path}?{parts.query}")
    assert (status, ACCOUNT in page, "See when you are busy" in page) == (200, True, True)
    status, _, back = ask(standin, "POST", parts.path, urlencode({"asked": parts.query, "do": do}))
    assert (status, urlsplit(back).path) == (303, "/oauth/google-calendar/callback")
    return dict(parse_qsl(urlsplit(back).query))


def test_a_member_connects_a_calendar_in_the_demo(cast: Cast, standin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outreach.site.booking.public.TOO_FAST", timedelta(0))
    with time_machine.travel("2027-03-01T06:00:00Z", tick=True):  # a Monday
        begun = cast.key.post("/my-calendar/connection/authorize").data["url"]
        assert decide(standin, begun, "refuse")["error"] == "access_denied"
        told = decide(standin, begun, "allow")
        made = cast.key.post("/my-calendar/connection", told)
        assert (made.status, made.data["email"]) == (201, ACCOUNT), made.body
        work("calendar-busy")
        hours = [{"day": 2, "from": "12:30", "to": "15:00"}]
        page = make_page(cast, days=hours, videoProvider="google-calendar", kind="online")
        assert slots(cast, page, "2027-03-02") == ["12:30", "14:30"]  # 13:00 to 14:30 is taken there
        assert book(page, "2027-03-02T12:30:00+00:00").status_code == 303
        deliver()
        work("calendar-events")
        with cast.scope():
            assert Meeting.objects.get().link.startswith("https://meet.example.org/")
        assert slots(cast, page, "2027-03-02") == ["14:30"]
        with cast.scope():  # the access token has ended, and the stand-in was started anew since
            CalendarConnection.objects.update(access_ends_at=None, access_token="")
        assert cast.key.post("/my-calendar/connection/sync").status == 200
        work("calendar-busy")
        assert cast.key.get("/my-calendar/connection").data["lastError"] == ""


def test_it_leads_nowhere_else(standin: str) -> None:
    asked = {"client_id": DEMO_CLIENT[0], "redirect_uri": "https://evil.example/x", "scope": "openid"}
    for changed in (asked, {**asked, "client_id": "other", "redirect_uri": "http://localhost/oauth/x/callback"}):
        for method, body in (("GET", ""), ("POST", urlencode({"asked": urlencode(changed), "do": "allow"}))):
            status, _, back = ask(standin, method, f"{server.LOGIN}?{urlencode(changed)}", body)
            assert (status, back) == (400, "")
    for token in ("", "x.y", "é.x"):
        connection = HTTPConnection(urlsplit(standin).netloc, timeout=10)
        connection.request("POST", "/calendar/v3/freeBusy", "{}", {"Authorization": f"Bearer {token}".encode()})
        assert connection.getresponse().status == 401
