"""Booking pages and hours by the API: whose they are, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from outreach.models import BookingPage
from tests.crm.meetings.helpers import MISSING
from tests.kit.cast import Cast, make_cast
from tests.outreach.site.booking.helpers import make_page

ALL = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)


def test_with_my_calendar_alone_one_has_ones_own(db: None) -> None:
    cast = make_cast({"my-calendar": ALL})
    mine, foreign = cast.narrow_session, make_page(cast)["_id"]
    own = mine.post("/booking-page", {"name": "Mine", "kind": "offline"})
    assert (own.status, own.data["member"]["_id"]) == (201, cast.narrow.pk)
    assert [one["_id"] for one in mine.get("/booking-page").data] == [own.data["_id"]]
    hidden = mine.get(f"/booking-page/{foreign}")
    assert (hidden.status, hidden.body) == (404, mine.get(f"/booking-page/{MISSING}").body)
    assert mine.put(f"/booking-page/{foreign}", {"name": "x"}).status == 404
    assert mine.get(f"/booking-page/{foreign}/slots").status == 404
    assert mine.delete("/booking-page", {"ids": [foreign]}).status == 404
    given_away = mine.put(f"/booking-page/{own.data['_id']}", {"member": cast.owner.pk})
    assert (given_away.status, mine.post("/booking-page", {"name": "His", "member": cast.owner.pk}).status) == (
        403,
        403,
    )
    assert mine.delete("/booking-page", {"selectAll": True}).data["deletedCount"] == 1
    with cast.scope():
        assert BookingPage.objects.values_list("pk", flat=True).get() == foreign
    nobody = make_cast({})
    for path in ("/booking-page", "/booking", "/my-calendar/hours", "/my-calendar/connection"):
        assert nobody.narrow_session.get(path).status == 403, path


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = make_page(outsiders)["_id"]
    for method, path, body in (("GET", "", None), ("PUT", "", {"name": "x"}), ("GET", "/slots", None)):
        answer = cast.key.call(method, f"/booking-page/{foreign}{path}", body)
        assert answer.body == cast.key.call(method, f"/booking-page/{MISSING}{path}", body).body
        assert answer.status == 404
    assert cast.key.get("/booking-page").data == []
    with outsiders.scope():
        stranger = outsiders.owner.pk
    assert cast.key.post("/booking-page", {"name": "x", "member": stranger}).status == 404


LONG, LATE = {"day": 1, "from": "09:00", "to": "11:00"}, {"day": 1, "from": "10:00", "to": "12:00"}


@pytest.mark.parametrize(
    ("body", "status", "named"),
    [
        ({"durationMinutes": 4}, 400, "durationMinutes"),
        ({"horizonDays": 91}, 400, "horizonDays"),
        ({"timezone": "Mars/Base"}, 400, "timezone"),
        ({"colour": "red"}, 400, "colour"),
        ({"team": MISSING}, 400, "team"),
        ({"member": MISSING}, 404, "member"),
        ({"videoProvider": "pigeon"}, 400, "videoProvider"),
        ({"days": [{"day": 8, "from": "09:00", "to": "10:00"}]}, 400, "day"),
        ({"days": [{"day": 1, "from": "10:00", "to": "09:00"}]}, 400, "to"),
        ({"days": [{"day": 1, "from": "25:00", "to": "26:00"}]}, 400, "from"),
        (
            {"days": [{"day": 1, "from": "09:00", "to": "11:00"}, {"day": 1, "from": "10:00", "to": "12:00"}]},
            400,
            "days",
        ),
        ({"questions": [{"key": "email", "label": "x"}]}, 400, "questions.0.key"),
        ({"questions": [{"key": "a", "label": "x", "type": "select"}]}, 400, "questions.0.options"),
    ],
)
def test_what_makes_no_page_is_refused(cast: Cast, body: dict[str, Any], status: int, named: str) -> None:
    answer = cast.key.post("/booking-page", {"name": "Intro", "kind": "offline", **body})
    assert answer.status == status, answer.body
    assert named in answer.body["message"] + answer.body["warning"]
    with cast.scope():
        assert not BookingPage.objects.exists()


def test_a_page_is_changed_and_its_name_is_its_own(cast: Cast) -> None:
    page = make_page(cast)
    make_page(cast, name="Other")
    assert cast.key.put(f"/booking-page/{page['_id']}", {"name": "other"}).status == 400
    changed = cast.key.put(f"/booking-page/{page['_id']}", {"durationMinutes": 60, "title": "Talk"})
    assert (changed.status, changed.data["durationMinutes"], changed.data["title"]) == (200, 60, "Talk")
    assert cast.key.put(f"/booking-page/{page['_id']}", {"member": None}).status == 400


def test_hours_are_refused_by_name(cast: Cast) -> None:
    for body, named in (
        ({"timezone": "Mars/Base"}, "timezone"),
        ({"away": [{"from": "2027-03-02", "to": "2027-03-01"}]}, "to"),
        ({"away": [{"from": "never", "to": "2027-03-01"}]}, "from"),
        ({"days": [{"day": 1, "from": "09:00"}]}, "to"),
    ):
        answer = cast.key.put("/my-calendar/hours", body)
        assert (answer.status, named in answer.body["message"] + answer.body["warning"]) == (400, True), answer.body
    assert len(cast.key.get("/my-calendar/hours").data["days"]) == 5


def test_a_member_who_leaves_takes_no_bookings(db: None) -> None:
    cast = make_cast()
    page = make_page(cast, member=cast.narrow.pk)
    assert cast.session.delete("/member", {"ids": [cast.narrow.pk]}).status == 200
    assert cast.key.get(f"/booking-page/{page['_id']}").data["isActive"] is False


def test_a_page_of_video_calls_is_open_only_where_they_get_links(cast: Cast) -> None:
    refused = cast.key.post("/booking-page", {"name": "Calls"})
    told = "videoProvider: choose a video call provider"
    # Pages show it too, so it names no address of the API.
    assert (refused.status, told in refused.body["warning"], "PUT " in refused.body["warning"]) == (400, True, False)
    nothing_in_it = cast.key.post("/booking-page", {"name": "Calls", "videoProvider": "link-template"})
    assert (nothing_in_it.status, "no template" in nothing_in_it.body["warning"]) == (400, True)
    closed = cast.key.post("/booking-page", {"name": "Calls", "isActive": False})
    assert closed.status == 201, closed.body
    path = f"/booking-page/{closed.data['_id']}"
    assert cast.key.put(path, {"isActive": True}).status == 400
    assert cast.key.put(path, {"title": "Talk"}).status == 200
    values = {"linkTemplate": "https://meet.example.org/{random}", "provider": "link-template"}
    assert cast.key.put("/videocall/settings", values).status == 200
    assert cast.key.put(path, {"isActive": True}).data["isActive"] is True
    cast.key.put("/videocall/settings", {"provider": ""})
    assert cast.key.put(path, {"title": "Another talk"}).status == 200
    assert cast.key.put(path, {"kind": "offline"}).status == 200
    assert cast.key.put(path, {"kind": "online"}).status == 400
    with cast.scope():
        assert BookingPage.objects.get().kind == "offline"


def test_what_is_not_set_up_here_makes_no_links(cast: Cast, settings: Any) -> None:
    settings.GOOGLE_CLIENT_ID = settings.GOOGLE_CLIENT_SECRET = ""
    refused = cast.key.put("/videocall/settings", {"provider": "google-calendar"})
    assert (refused.status, "provider: Google" in refused.body["warning"]) == (400, True), refused.body
    assert cast.key.get("/videocall/settings").data["provider"] == ""
    settings.GOOGLE_CLIENT_ID = settings.GOOGLE_CLIENT_SECRET = "set"  # noqa: S105
    assert cast.key.put("/videocall/settings", {"provider": "google-calendar"}).status == 200
    lacking = cast.key.post("/booking-page", {"name": "Calls"})
    assert (lacking.status, "connected no Google calendar" in lacking.body["warning"]) == (400, True), lacking.body
