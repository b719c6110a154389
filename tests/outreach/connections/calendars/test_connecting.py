"""A member's own calendar: connected by a log-in that is theirs, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.test import Client
from django.utils import timezone

from outreach.connections.calendars.google import SCOPES
from outreach.connections.calendars.models import CalendarConnection
from tests.kit.cast import Cast, make_cast
from tests.kit.google_calendar import CalendarServer
from tests.kit.mail_vendors import Fault
from tests.outreach.connections.calendars.conftest import connect
from tests.outreach.helpers import work

ALL = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)


def begin(caller: Any) -> str:
    return str(caller.post("/my-calendar/connection/authorize").data["url"])


def test_a_member_connects_their_own(google: CalendarServer, db: None) -> None:
    cast = make_cast({"my-calendar": ALL})
    mine = cast.narrow_session
    asked = parse_qs(urlsplit(begin(mine)).query)
    assert {*SCOPES} <= {*asked["scope"][0].split()}
    assert asked["redirect_uri"][0].endswith("/oauth/google-calendar/callback")
    assert connect(google, mine)["email"] == "dana@example.com"
    assert mine.get("/my-calendar/connection").data["isConnected"] is True
    assert cast.key.get("/my-calendar/connection").data["isConnected"] is False
    assert cast.key.delete("/my-calendar/connection").status == 404


def test_a_log_in_is_its_members_and_counts_once(cast: Cast, outsiders: Cast, google: CalendarServer) -> None:
    code = google.google.consent(begin(cast.key))
    for stranger in (outsiders.key, outsiders.session):
        refused = stranger.post("/my-calendar/connection", code)
        assert (refused.status, refused.body["message"]) == (400, "The log-in details are wrong.")
    assert cast.key.post("/my-calendar/connection", {**code, "state": code["state"][:-1] + "x"}).status == 400
    assert cast.key.post("/my-calendar/connection", code).status == 201
    assert cast.key.post("/my-calendar/connection", code).status == 400
    late = google.google.consent(begin(cast.key))
    with cast.scope():
        CalendarConnection.objects.update(login_ends_at=timezone.now() - timedelta(seconds=1))
    assert cast.key.post("/my-calendar/connection", late).status == 400
    for body in ({"code": "x"}, {"state": "x"}, {}):
        assert cast.key.post("/my-calendar/connection", body).status == 400


def test_a_log_in_without_the_permissions_is_taken_back(cast: Cast, google: CalendarServer) -> None:
    code = google.google.consent(begin(cast.key), scopes="openid email")
    refused = cast.key.post("/my-calendar/connection", code)
    assert (refused.status, "boxes ticked" in refused.body["warning"]) == (400, True)
    assert google.google.refresh == {"refresh-canary-1"}
    assert cast.key.get("/my-calendar/connection").data["isConnected"] is False


def test_without_a_client_of_the_service_nothing_is_offered(cast: Cast, settings: Any) -> None:
    settings.GOOGLE_CLIENT_ID = ""
    assert cast.key.get("/my-calendar/connection").data["isAvailable"] is False
    refused = cast.key.post("/my-calendar/connection/authorize")
    assert (refused.status, refused.body["message"]) == (400, "Connected app not found.")


def test_google_leads_back_to_the_companys_page(cast: Cast) -> None:
    came = Client().get("/oauth/google-calendar/callback", {"code": "c", "state": f"{cast.company.pk}.x"})
    assert came["Location"] == f"/c/{cast.company.pk}/booking/calendar?code=c&state={cast.company.pk}.x"
    assert Client().get("/oauth/google-calendar/callback", {"state": "//evil.example"})["Location"] == "/"


def test_busy_times_are_asked_and_kept(cast: Cast, connected: CalendarServer) -> None:
    connected.busy = [{"start": "2090-03-09T10:00:00Z", "end": "2090-03-09T11:00:00+00:00"}]
    work("calendar-busy")
    with cast.scope():
        one = CalendarConnection.objects.get()
        assert one.busy == [["2090-03-09T10:00:00+00:00", "2090-03-09T11:00:00+00:00"]]
        CalendarConnection.objects.update(due_at=timezone.now())
    connected.script = [Fault(200, {"calendars": {"primary": {"busy": [{"start": "soon", "end": "later"}]}}})]
    work("calendar-busy")
    with cast.scope():
        again = CalendarConnection.objects.get()
        assert (again.busy, again.busy_at) == (one.busy, one.busy_at)
        assert "cannot be read" in again.error


def test_no_token_is_told_to_anybody(cast: Cast, connected: CalendarServer) -> None:
    shown = str(cast.key.get("/my-calendar/connection").body)
    assert "canary" not in shown
