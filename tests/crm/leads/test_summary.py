"""GET /lead/summary and /contact/summary"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crm.records import summary
from tests.crm.leads.helpers import member
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, LeadFactory


@pytest.fixture
def leads(scope: Cast) -> list[Any]:
    ann, bob = ContactFactory(name="Ann Lee"), ContactFactory(name="Bob Ray")
    return [
        LeadFactory(contact=ann, status="new", value=10),
        LeadFactory(contact=bob, status="new", value="2.5"),
        LeadFactory(contact=bob, status="won", source="fair", value=None),
        LeadFactory(contact=bob, status="lost", is_deleted=True, value=99),
    ]


def group(value: str | None, count: int, amount: float, weighted: float | None = None) -> dict[str, Any]:
    # The values of new leads count a fifth.
    return {"value": value, "count": count, "sum": amount, "weighted": amount / 5 if weighted is None else weighted}


def test_leads_are_counted_and_summed_up_by_status(scope: Cast, leads: list[Any]) -> None:
    for caller in (scope.key, scope.session):
        answer = caller.get("/lead/summary", groupBy="status")
        assert answer.status == 200
        assert answer.data == [group("new", 2, 12.5), group("won", 1, 0)]
        assert (answer.body["totalCount"], answer.body["nextCursor"]) == (2, None)
    assert scope.key.get("/lead/summary").data == answer.data
    with CaptureQueriesContext(connection) as queries:
        scope.key.get("/lead/summary")
    assert len([query for query in queries if "GROUP BY" in query["sql"]]) == 1


def test_the_lists_filters_hold(scope: Cast, leads: list[Any]) -> None:
    def found(**query: Any) -> Any:
        return scope.key.get("/lead/summary", **query).data

    assert found(searchValue="bob") == [group("new", 1, 2.5), group("won", 1, 0)]
    assert found(filters={"status": ["won", "lost"]}) == [group("won", 1, 0)]
    assert found(ids=leads[0].pk) == [group("new", 1, 10)]
    assert found(filters={"isDeleted": True}) == [group("lost", 1, 99, 0)]
    by_name = {"operator": "and", "conditions": [{"field": "contact.name", "operator": "contains", "value": "ann"}]}
    assert found(advancedFilters=by_name) == [group("new", 1, 10)]


def test_other_groups_and_none(scope: Cast, leads: list[Any]) -> None:
    sam = member(name="Sam")
    leads[0].team_member = sam
    leads[0].save()
    by_member = scope.key.get("/lead/summary", groupBy="teamMember").data
    assert by_member == [group(None, 2, 2.5), group(sam.pk, 1, 10)]
    assert scope.key.get("/lead/summary", groupBy="source").data == [group(None, 2, 12.5), group("fair", 1, 0)]


def test_what_is_refused(scope: Cast) -> None:
    wrong = scope.key.get("/lead/summary", groupBy="notes")
    assert (wrong.status, "groupBy: one of status, source" in wrong.body["warning"]) == (400, True)
    assert scope.key.get("/lead/summary", nonsense="1").status == 400
    assert scope.key.get("/lead/summary", filters="").status == 400
    assert scope.narrow_session.get("/lead/summary").status == 403
    assert make_cast().key.get("/lead/summary").data == []


def test_groups_are_bounded(scope: Cast, leads: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "MAX_GROUPS", 1)
    monkeypatch.setattr("crm.records.views.MAX_GROUPS", 1)
    answer = scope.key.get("/lead/summary")
    assert (answer.data, "more than 1 groups" in answer.body["warning"]) == ([group("new", 2, 12.5)], True)


def test_contacts_are_counted_by_category(scope: Cast) -> None:
    friends = ContactCategoryFactory(name="Friends")
    ContactFactory(category=friends)
    ContactFactory(category=friends)
    ContactFactory(is_deleted=True)
    for caller in (scope.key, scope.session, scope.narrow_session):
        assert caller.get("/contact/summary").data == [{"value": friends.pk, "count": 2}]
