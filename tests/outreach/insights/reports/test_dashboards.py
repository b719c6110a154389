"""/dashboard: reports beside each other, one's own or the company's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Member, Role
from accounts.roles.permissions import ADMIN
from core.models import Event
from outreach.insights.reports.services import forget_dashboards
from outreach.models import Dashboard
from tests.kit.cast import SESSION, Caller, Cast, make_cast, session_headers
from tests.kit.factories import ContactFactory, MemberFactory, RoleFactory
from tests.kit.rows import kept_for_module, row

PATH = "/dashboard"
TILE = {"reportType": "contacts", "by": "day", "chart": "line", "range": "last7"}
COUNT = {"reportType": "contacts", "chart": "number", "metric": "added"}


@pytest.fixture(scope="module")
def cast(django_db_setup: None, django_db_blocker: Any) -> Iterator[Cast]:
    with kept_for_module(django_db_blocker):
        cast = make_cast()
        with cast.scope():
            ContactFactory.create_batch(3)
        yield cast


@pytest.fixture(scope="module")
def colleague(cast: Cast) -> Caller:
    """A session of somebody who may do anything with reports, and read nothing else."""
    with cast.scope():
        role = RoleFactory(permission={"report": dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)})
        return Caller(SESSION, session_headers(MemberFactory(status=Member.Status.ACCEPTED, role=role)))


def make(caller: Caller, name: str, **values: Any) -> dict[str, Any]:
    answer = caller.post(PATH, {"name": name, **values})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def test_a_dashboard_of_ones_own_and_one_of_the_company(
    cast: Cast, colleague: Caller, subtests: pytest.Subtests
) -> None:
    with row(subtests, "one's own"):
        mine = make(cast.session, "Mine", tiles=[TILE, COUNT])
        path = f"{PATH}/{mine['_id']}"
        days = {"startDate": None, "endDate": None}
        first = {"title": "Contacts", "metric": "added", **TILE, **days}
        assert mine["tiles"] == [first, {**first, "chart": "number", "range": "last30"}]
        assert [one["name"] for one in cast.session.get(PATH).data] == ["Mine"]
        assert colleague.get(PATH).data == []
        for answer in (
            colleague.get(path),
            colleague.get(f"{path}/data"),
            colleague.put(path, {"name": "x"}),
            colleague.post(f"{path}/tiles", TILE),
            colleague.delete(PATH, {"ids": [mine["_id"]]}),
        ):
            assert (answer.status, answer.body["message"]) == (404, "Dashboard not found.")
        taken = colleague.post(PATH, {"name": "MINE"})
        assert (taken.status, taken.body["message"]) == (400, "A dashboard with this name already exists.")
        again = cast.session.put(path, mine)
        assert (again.status, again.data["tiles"]) == (200, mine["tiles"])
    with row(subtests, "the company's"):
        shared = make(cast.session, "Ours", shared=True)
        path = f"{PATH}/{shared['_id']}"
        assert colleague.put(path, {"description": "For all"}).data["description"] == "For all"
        refused = colleague.put(path, {"shared": False})
        assert (refused.status, "who made the dashboard" in refused.body["warning"]) == (400, True)
        assert cast.key.put(path, {"tiles": [TILE]}).data["tiles"][0]["chart"] == "line"
        assert len(colleague.post(f"{path}/tiles", COUNT).data["tiles"]) == 2
        assert colleague.delete(PATH, {"ids": [shared["_id"]]}).data == {"deletedCount": 1}
        with cast.scope():
            told = Event.objects.filter(object_id=shared["_id"]).order_by("sequence").values_list("kind", flat=True)
            assert list(told) == [f"dashboard.{done}" for done in ("created", *("updated",) * 3, "deleted")]
    with row(subtests, "of a member who leaves"):
        make(cast.session, "Mine")
        make(cast.session, "Ours", shared=True)
        with cast.scope():
            forget_dashboards([cast.owner.pk])
            assert list(Dashboard.objects.values_list("name", flat=True)) == ["Ours"]
            assert (
                Role.objects.get(name="Manager").permission["report"]
                == Role.objects.get(name=ADMIN).permission["report"]
            )


def test_tiles_that_no_report_can_fill_are_refused(cast: Cast) -> None:
    for tile, said in (
        ({}, "tiles.0.reportType"),
        ({"reportType": "nothing"}, "tiles.0.reportType"),
        ({"reportType": "contacts", "by": "vendor"}, "tiles.0.by: one of day, import"),
        ({"reportType": "contacts", "metric": "won"}, "tiles.0.metric: one of added"),
        ({"reportType": "contacts", "by": "tag", "chart": "line"}, "tiles.0.chart: a line goes over days"),
        ({"reportType": "contacts", "chart": "pie"}, "tiles.0.chart"),
        ({"reportType": "contacts", "range": "custom"}, "tiles.0.startDate: the range custom needs"),
        ({"reportType": "contacts", "startDate": "2026-01-01"}, "tiles.0.range: startDate and endDate"),
        (
            {"reportType": "contacts", "range": "custom", "startDate": "2024-01-01", "endDate": "2026-01-01"},
            "tiles.0.startDate: a report is about at most 366 days",
        ),
        ({"reportType": "contacts", "color": "red"}, "color"),
    ):
        refused = cast.session.post(PATH, {"name": "x", "tiles": [tile]})
        assert (refused.status, said in refused.body["warning"]) == (400, True), (tile, refused.body)
    assert cast.session.post(PATH, {"name": "x", "tiles": [TILE] * 13}).status == 400
    full = make(cast.session, "Full", tiles=[TILE] * 12)
    refused = cast.session.post(f"{PATH}/{full['_id']}/tiles", TILE)
    assert (refused.status, "at most 12" in refused.body["warning"]) == (400, True)
    with CaptureQueriesContext(connection) as asked:
        data = cast.session.get(f"{PATH}/{full['_id']}/data").data
    assert sum("number_" in one["sql"] for one in asked) == 1  # tiles that tell the same are read once
    assert data["tiles"][11]["data"]["totals"]["added"] == 3


def test_the_numbers_are_those_of_the_reports(cast: Cast, colleague: Caller) -> None:
    leads = {"reportType": "leads", "by": "status", "chart": "bar", "range": "thisMonth"}
    made = make(cast.session, "Numbers", shared=True, tiles=[TILE, COUNT, leads])
    path = f"{PATH}/{made['_id']}/data"
    line, number, bar = cast.session.get(path).data["tiles"]
    days = {name: line["data"][name] for name in ("startDate", "endDate")}
    assert line["data"] == cast.session.get("/logs/report", reportType="contacts", by="day", **days).data
    assert (len(line["data"]["rows"]), line["data"]["totals"]["added"]) == (7, 3)
    assert (number["data"]["rows"], number["data"]["totals"]) == ([], line["data"]["totals"])
    assert bar["data"]["startDate"].endswith("-01")
    for tile in colleague.get(path).data["tiles"]:
        assert tile["data"] is None
        assert "contact.GET" in tile["problem"] or "lead.GET" in tile["problem"]
