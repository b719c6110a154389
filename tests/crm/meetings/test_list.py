"""GET /meeting (contract 4.4)"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from core.tenancy import use_owner_role
from crm.models import Contact, Meeting
from tests.crm.meetings.helpers import new_meeting
from tests.kit.cast import Cast
from tests.kit.factories import LeadFactory


def test_list_search_filter_sort_page(cast: Cast, ann: Contact, sella: Member) -> None:
    with cast.scope():
        lead = LeadFactory(contact=ann)
    early = new_meeting(
        cast, title="Early", startsAt="2090-01-01T09:00Z", lead=lead.pk, attendees=[{"member": sella.pk}]
    )["_id"]
    late = new_meeting(
        cast, title="Late", startsAt="2090-12-01T09:00Z", place="Harbour", attendees=[{"contact": ann.pk}]
    )["_id"]
    middle = new_meeting(cast, title="Middle", startsAt="2090-06-01T09:00Z", organizer=sella.pk, contact=ann.pk)["_id"]

    def titles(**query: Any) -> list[str]:
        answer = cast.key.get("/meeting", **query)
        assert answer.status == 200, answer.body
        return [one["title"] for one in answer.data]

    between = {"field": "startsAt", "operator": "between", "value": ["2090-01-01", "2090-06-01"]}
    assert titles() == ["Middle", "Late", "Early"]
    assert titles(sortBy="startsAt", sortOrder="asc") == ["Early", "Middle", "Late"]
    assert titles(sortBy="organizer.name,title", sortOrder="desc,asc") == ["Early", "Late", "Middle"], (
        "Sella comes before User"
    )
    assert titles(advancedFilters=between, sortBy="startsAt") == ["Middle", "Early"]
    assert titles(filters={"member": sella.pk}) == ["Middle", "Early"]
    assert titles(filters={"member": cast.owner.pk}) == ["Late", "Early"]
    assert titles(advancedFilters={"field": "member", "operator": "notEquals", "value": sella.pk}) == ["Late"]
    assert titles(filters={"lead": lead.pk}) == ["Early"]
    assert titles(filters={"lead.contact": ann.pk}) == ["Early"]
    assert titles(filters={"contact": ann.pk}) == ["Middle"]
    assert titles(filters={"attendees.contact": ann.pk}) == ["Late"]
    assert titles(searchBy="attendees.email", searchValue="SELLA@") == ["Early"]
    assert titles(searchValue="harb") == ["Late"]
    assert titles(ids=f"{early},{late}", nids=late) == ["Early"]
    page = cast.key.get("/meeting", cursorPagination="true", n="2", sortBy="startsAt", sortOrder="asc")
    assert ([one["_id"] for one in page.data], page.body["totalCount"]) == ([early, middle], 3)
    assert [one["_id"] for one in cast.key.get("/meeting", cursor=page.body["nextCursor"], n="2").data] == [late]
    for query in (
        {"sortBy": "attendees.email"},
        {"sortBy": "member"},
        {"filters": {"startsAt": 5}},
        {"filters": {"member": "x"}},
    ):
        assert cast.key.get("/meeting", **query).status == 400, query


def test_a_list_takes_as_many_queries_for_twenty_as_for_one(cast: Cast, ann: Contact) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get("/meeting", p="1", n="50").status == 200
        return len(found)

    new_meeting(cast, attendees=[{"contact": ann.pk}])
    queries()
    few = queries()
    for n in range(6):
        new_meeting(cast, contact=ann.pk, attendees=[{"contact": ann.pk}, {"email": f"a{n}@b.example"}])
    assert queries() == few


def walk(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of a plan, but for those that read a single meeting's attendees."""
    yield plan
    for inner in plan.get("Plans", ()):
        if inner.get("Parent Relationship") != "SubPlan":
            yield from walk(inner)


def test_the_meetings_of_a_time_come_from_their_index(cast: Cast) -> None:
    start = datetime(2090, 1, 1, tzinfo=UTC)
    with cast.scope():
        Meeting.objects.bulk_create(
            Meeting(
                title=f"{n}",
                organizer=cast.owner,
                starts_at=start + timedelta(hours=n),
                ends_at=start + timedelta(hours=n + 1),
                timezone="UTC",
                place="",
                link="",
            )
            for n in range(5000)
        )
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE crm_meeting, crm_meetingattendee")
    week = {"field": "startsAt", "operator": "between", "value": ["2090-03-05", "2090-03-11"]}
    with CaptureQueriesContext(connection) as queries:
        answer = cast.key.get("/meeting", p="1", n="50", sortBy="startsAt", sortOrder="asc", advancedFilters=week)
    assert (answer.body["totalCount"], answer.data[0]["startsAt"]) == (7 * 24, "2090-03-05T00:00:00.000Z")
    listed = [query["sql"] for query in queries if 'FROM "crm_meeting"' in query["sql"]]
    assert len(listed) == 3, "the page's ids, the count, and the records"
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (FORMAT JSON) {listed[0]}")
        found = cursor.fetchone()[0]
    nodes = list(walk((json.loads(found) if isinstance(found, str) else found)[0]["Plan"]))
    assert "meeting_start" in [node.get("Index Name") for node in nodes]
    assert (
        max((child["Plan Rows"] for node in nodes if node["Node Type"] == "Sort" for child in node["Plans"]), default=0)
        <= 51
    )
    assert "Seq Scan" not in [node["Node Type"] for node in nodes if node.get("Relation Name") == "crm_meeting"]
