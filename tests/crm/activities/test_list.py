"""GET /lead-activity (contract 4.4)"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.tenancy import use_owner_role
from crm.models import File, LeadActivity
from tests.crm.activities.activity_helpers import PATH, ids
from tests.kit.cast import SESSION, Caller, Cast, session_headers
from tests.kit.factories import ContactFactory, LeadFactory, MemberFactory, RoleFactory


@pytest.fixture
def history(cast: Cast, outsiders: Cast) -> list[LeadActivity]:
    """Nine activities, an hour apart, the oldest first: of three leads in turn, kinds call, note, status; a tenth is
    of outsiders."""
    with outsiders.scope():
        LeadActivity.objects.create(kind="note", lead=LeadFactory(), happened_at=timezone.now())
    with cast.scope():
        leads = [
            LeadFactory(contact__name=f"Person {letter}", contact__email=f"{letter}@example.org") for letter in "abc"
        ]
        return [
            LeadActivity.objects.create(
                kind=("call", "note", "status")[n // 3],
                lead=leads[n % 3],
                contact=leads[n % 3].contact,
                member=cast.owner if n % 2 else cast.narrow,
                notes=f"Text {n}",
                happened_at=timezone.now() - timedelta(hours=9 - n),
            )
            for n in range(9)
        ]


def test_filters_search_and_sort(cast: Cast, history: list[LeadActivity]) -> None:
    keys = [activity.pk for activity in history]

    def found(**query: Any) -> list[int]:
        return [keys.index(id) for id in ids(cast.key.get(PATH, **query))]

    assert found() == [8, 7, 6, 5, 4, 3, 2, 1, 0]
    assert found(filters={"lead": history[1].lead_id}) == [7, 4, 1]
    assert found(filters={"contact": [history[0].contact_id, history[2].contact_id]}) == [8, 6, 5, 3, 2, 0]
    assert found(filters={"kind": ["call", "note"], "member": cast.owner.pk}) == [5, 3, 1]
    after = {"field": "happenedAt", "operator": "after", "value": history[5].happened_at.isoformat()}
    assert found(advancedFilters={"operator": "and", "conditions": [after]}) == [8, 7, 6]
    last = {"field": "happenedAt", "operator": "withinLast", "value": {"amount": 150, "unit": "minutes"}}
    assert found(advancedFilters={"operator": "and", "conditions": [last]}) == [8, 7]
    assert found(searchValue="text 4") == [4]
    assert found(searchValue="PERSON B", searchBy="contact.name") == [7, 4, 1]
    assert found(sortBy="contact.name,happenedAt", sortOrder="asc,desc") == [6, 3, 0, 7, 4, 1, 8, 5, 2]
    assert found(sortBy="kind", sortOrder="asc", p="2", n="3") == sorted([3, 4, 5], key=lambda n: keys[n])
    assert found(ids=f"{keys[3]},{keys[5]}") == [5, 3]
    for bad in (
        {"filters": {"details": 1}},
        {"sortBy": "details"},
        {"searchBy": "kind", "searchValue": "x"},
        {"filters": {"lead": "x"}},
    ):
        assert cast.key.get(PATH, **bad).status == 400, bad


def test_a_role_reads_what_it_may_read_elsewhere(cast: Cast) -> None:
    with cast.scope():
        lead = LeadFactory()
        of_kind = {
            kind: LeadActivity.objects.create(
                kind=kind, lead=lead, contact=lead.contact, details={"title": "Secret"}, happened_at=timezone.now()
            ).pk
            for kind in LeadActivity.Kind.values
        }
    own, of_lead = {"note", "call", "follow_up"}, set(of_kind) - {"note", "call", "follow_up", "meeting", "mail"}
    for modules, more in (
        ((), set()),
        (("contact",), set()),
        (("lead",), of_lead),
        (("meeting", "genie"), {"meeting", "mail"}),
        (("lead", "meeting", "logs"), {*of_lead, "meeting", "mail"}),
    ):
        rights = dict.fromkeys(("lead-activity", "file"), {"GET": True, "POST": True, "PUT": True})
        with cast.scope():
            role = RoleFactory(permission=rights | {module: {"GET": True} for module in modules})
            caller = Caller(SESSION, session_headers(MemberFactory(status="accepted", role=role)))
        assert {row["kind"] for row in caller.get(PATH).data} == own | more, modules
        for kind, id in of_kind.items():
            assert caller.get(f"{PATH}/{id}").status == (200 if kind in own | more else 404), (modules, kind)
        assert caller.call("PATCH", f"{PATH}/{of_kind['meeting']}/notes", {"notes": "x"}).status == (
            200 if "meeting" in more else 404
        )
        whole = own | more == set(of_kind)
        assert caller.post("/export", {"resource": "lead-activity"}).status == (201 if whole else 403)
        assert len(caller.get("/export").data) == whole
        with cast.scope():
            File.objects.update(is_deleted=False, hashes=dict.fromkeys(("md5", "sha1", "sha256", "sha512"), ""))
        assert len(caller.get("/file").data) == whole


def test_pages(cast: Cast, history: list[LeadActivity]) -> None:
    seen, query = [], {"n": "4", "cursorPagination": "true"}
    for _ in range(3):
        page = cast.key.get(PATH, **query)
        assert page.body["totalCount"] == 9
        seen += ids(page)
        query = {"n": "4", "cursor": page.body["nextCursor"]}
    assert page.body["nextCursor"] is None
    assert seen == [activity.pk for activity in history][::-1]


def test_the_list_takes_as_many_statements_for_one_as_for_eight(cast: Cast, history: list[LeadActivity]) -> None:
    cast.key.get(PATH, p="1", n="1")
    counts = []
    for size in ("1", "8"):
        with CaptureQueriesContext(connection) as captured:
            assert len(ids(cast.key.get(PATH, p="1", n=size))) == int(size)
        counts.append(len(captured))
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    ("filters", "index"),
    [
        ({}, "leadactivity_created"),
        ({"lead": 1}, "leadactivity_lead_created"),
        ({"contact": 1}, "leadactivity_contact_created"),
    ],
)
def test_lists_are_read_from_their_index(cast: Cast, filters: dict[str, Any], index: str) -> None:
    with cast.scope():
        leads = LeadFactory.create_batch(40)
        now = timezone.now()
        LeadActivity.objects.bulk_create(
            [
                LeadActivity(
                    kind="note", lead=lead, contact=lead.contact, happened_at=now - timedelta(minutes=n * 40 + place)
                )
                for n in range(100)
                for place, lead in enumerate(leads)
            ]
        )
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute("ANALYZE crm_leadactivity, crm_lead, crm_contact")
    chosen = {name: getattr(leads[7], "pk" if name == "lead" else "contact_id") for name in filters}
    with CaptureQueriesContext(connection) as captured:
        assert len(ids(cast.key.get(PATH, filters=chosen, p="1", n="10"))) == 10
    page = next(query["sql"] for query in captured if "LIMIT" in query["sql"] and "crm_leadactivity" in query["sql"])
    with cast.scope(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN " + page)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert index in plan, plan
    assert "Seq Scan on crm_leadactivity" not in plan


def test_a_lead_without_activities_has_an_empty_list(cast: Cast) -> None:
    with cast.scope():
        lead = LeadFactory(contact=ContactFactory())
    assert cast.key.get(PATH, filters={"lead": lead.pk}, p="1", n="5").body["data"] == []
