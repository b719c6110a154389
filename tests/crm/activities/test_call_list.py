"""GET /calllog (contract 4.4)"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crm.models import CallLog
from tests.crm.activities.activity_helpers import ids
from tests.crm.activities.call_helpers import PATH
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory


@pytest.fixture
def calls(cast: Cast, outsiders: Cast) -> list[CallLog]:
    """Six calls, an hour apart, the oldest first, with three leads in turn; and one of outsiders."""
    with outsiders.scope():
        CallLog.objects.create(contact=ContactFactory(), started_at=timezone.now())
    with cast.scope():
        leads = [LeadFactory(contact__name=f"Person {letter}") for letter in "abc"]
        return [
            CallLog.objects.create(
                lead=leads[n % 3],
                contact=leads[n % 3].contact,
                member=cast.owner if n % 2 else None,
                direction="inbound" if n < 2 else "outbound",
                outcome="busy" if n == 5 else "connected",
                number=f"+4917010000{n:02}",
                notes=f"Text {n}",
                duration_seconds=n * 10,
                started_at=timezone.now() - timedelta(hours=6 - n),
            )
            for n in range(6)
        ]


def test_filters_search_sort_and_pages(cast: Cast, calls: list[CallLog]) -> None:
    keys = [call.pk for call in calls]

    def found(**query: Any) -> list[int]:
        return [keys.index(id) for id in ids(cast.key.get(PATH, **query))]

    assert found() == [5, 4, 3, 2, 1, 0]
    assert found(filters={"lead": calls[1].lead_id}) == [4, 1]
    assert found(filters={"contact": calls[2].contact_id, "direction": "outbound"}) == [5, 2]
    assert found(filters={"member": cast.owner.pk}) == [5, 3, 1]
    assert found(filters={"outcome": "busy"}) == [5]
    assert found(filters={"number": "+491701000003"}) == [3]
    longer = {"field": "duration", "operator": "between", "value": [20, 40]}
    assert found(advancedFilters={"operator": "and", "conditions": [longer]}) == [4, 3, 2]
    assert found(searchValue="1000004") == [4]
    assert found(searchValue="TEXT 2") == [2]
    assert found(searchValue="person b") == [4, 1]
    assert found(sortBy="duration", sortOrder="asc", p="2", n="2") == [2, 3]
    assert found(sortBy="contact.name,startedAt", sortOrder="asc,asc") == [0, 3, 1, 4, 2, 5]
    first = cast.key.get(PATH, n="4", cursorPagination="true")
    rest = cast.key.get(PATH, n="4", cursor=first.body["nextCursor"])
    assert (first.body["totalCount"], rest.body["nextCursor"]) == (6, None)
    assert ids(first) + ids(rest) == keys[::-1]
    for bad in (
        {"filters": {"recording": 1}},
        {"sortBy": "x"},
        {"searchBy": "duration", "searchValue": "1"},
        {"filters": {"lead": "x"}},
    ):
        assert cast.key.get(PATH, **bad).status == 400, bad
    counts = []
    for size in ("1", "5"):
        with CaptureQueriesContext(connection) as captured:
            assert len(ids(cast.key.get(PATH, p="1", n=size))) == int(size)
        counts.append(len(captured))
    assert counts[0] == counts[1]
