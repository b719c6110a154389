"""/segment (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.access import Entitlement, limited_creation
from core.errors import NamedError
from crm.models import CustomField, Segment, SegmentRecord
from crm.segments.services import IdChanges, create_segment
from tests.crm.contacts.helpers import form
from tests.crm.segments.helpers import PATH, new, where
from tests.kit.cast import Cast, make_cast

MISSING = "0" * 24


def executed(cast: Cast, **query: str) -> list[str]:
    """Return the names of the contacts, or the ids of the leads, after checking the count."""
    only = cast.key.get(f"{PATH}/execute", **query)
    assert (only.status, only.data["records"]) == (200, None), only.body
    full = cast.key.get(f"{PATH}/execute", p="1", n="50", sortBy="createdAt", sortOrder="asc", **query)
    assert full.status == 200, full.body
    assert full.data["count"] == only.data["count"] == full.body["totalCount"] == len(full.data["records"])
    return [record.get("name") or record["_id"] for record in full.data["records"]]


def test_a_dynamic_segment_is_run_anew_each_time(cast: Cast, people: dict[str, str]) -> None:
    made = cast.key.post(PATH, {"name": "Bonn", "color": "#fff", "advancedFilters": where("city", "equals", "Bonn")})
    assert made.status == 201
    wanted = {"name": "Bonn", "panel": "contact", "kind": "dynamic", "color": "#fff", "count": None, "problem": None}
    assert {key: made.data[key] for key in wanted} == wanted
    assert made.data["advancedFilters"] == where("city", "equals", "Bonn")
    assert made.data["createdBy"]["_id"] == cast.owner.pk
    id = made.data["_id"]
    assert cast.key.get(f"{PATH}/{id}").data == made.data
    assert executed(cast, id=id) == ["Ann", "Bob"]
    cast.key.put(f"/contact/{people['Cid']}", {"formData": {"city": "Bonn"}})
    cast.key.delete("/contact", {"ids": [people["Ann"]]})
    assert executed(cast, id=id) == ["Bob", "Cid"]


def test_filters_and_advanced_filters_must_both_hold(cast: Cast, people: dict[str, str]) -> None:
    both = new(cast, "both", filters={"city": "Bonn"}, advancedFilters=where("score", "greaterThan", 0))
    assert executed(cast, id=both) == ["Ann"]
    simple = new(cast, "simple", filters={"city": ["Bonn", "Aachen"]})
    assert executed(cast, id=simple) == ["Ann", "Bob"]
    assert executed(cast, id=new(cast, "all", filters={})) == ["Ann", "Bob", "Cid"]
    either = {"operator": "or", "conditions": [where("name", "equals", "Bob"), where("score", "equals", 3)]}
    assert executed(cast, id=new(cast, "either", advancedFilters=either)) == ["Bob", "Cid"]
    changed = cast.key.put(f"{PATH}/{both}", {"filters": {"name": "Cid"}, "description": "one"})
    assert (changed.status, changed.data["advancedFilters"]) == (200, where("name", "equals", "Cid"))
    assert executed(cast, id=both) == ["Cid"]


def test_a_segment_of_leads(cast: Cast, people: dict[str, str]) -> None:
    won = new(cast, "won", panel="lead", filters={"status": "won"})
    assert executed(cast, id=won) == [people["lead 2"]]
    assert executed(cast, id=new(cast, "ann", panel="lead", filters={"contact.name": "Ann"})) == [people["lead 1"]]
    refused = cast.key.post(PATH, {"name": "x", "panel": "lead", "filters": {"city": "Bonn"}})
    assert (refused.status, refused.body["message"]) == (400, "This request is not possible.")


def test_static_segments_hold_ids(cast: Cast, outsiders: Cast, people: dict[str, str]) -> None:
    made = cast.key.post(PATH, {"name": "chosen", "kind": "static", "ids": [people["Ann"], people["Bob"]]})
    assert (made.status, made.data["count"], made.data["advancedFilters"]) == (201, 2, {})
    id = made.data["_id"]
    assert executed(cast, id=id) == ["Ann", "Bob"]
    place = f"{PATH}/{id}"
    assert (
        cast.key.put(place, {"addIds": [people["Cid"], people["Bob"]], "removeIds": [people["Ann"]]}).data["count"] == 2
    )
    assert executed(cast, id=id) == ["Bob", "Cid"]
    assert cast.key.put(place, {"name": "kept"}).data["count"] == 2
    assert cast.key.put(place, {"ids": [people["Ann"], people["Cid"]]}).data["count"] == 2
    assert executed(cast, id=id) == ["Ann", "Cid"]
    cast.key.delete("/contact", {"ids": [people["Ann"]]})
    assert executed(cast, id=id) == ["Cid"]
    assert cast.key.get(place).data["count"] == 1
    foreign = outsiders.key.post("/contact", {"formData": form(1)}).data["_id"]
    for bad in (MISSING, foreign, people["Ann"], people["lead 1"]):
        for body in ({"addIds": [bad]}, {"ids": [people["Bob"], bad]}):
            refused = cast.key.put(place, body)
            assert (refused.status, refused.body["message"]) == (400, "Contact not found.")
    assert executed(cast, id=id) == ["Cid"]
    leads = new(cast, "leads", panel="lead", kind="static", ids=[people["lead 2"]])
    assert executed(cast, id=leads) == [people["lead 2"]]
    assert cast.key.put(f"{PATH}/{leads}", {"addIds": [people["Bob"]]}).body["message"] == "Lead not found."
    assert cast.key.put(f"{PATH}/{leads}", {"ids": []}).data["count"] == 0


NO_SEGMENTS: list[Any] = [
    *(
        {},
        [],
        {"name": ""},
        {"name": "x"},
        {"name": "x", "shade": 1, "filters": {}},
        {"name": "x" * 201, "filters": {}},
    ),
    *(
        {"name": "x", "panel": "company", "filters": {}},
        {"name": "x", "kind": "other", "filters": {}},
        {"name": 1, "filters": {}},
    ),
    *({"name": "x", "filters": []}, {"name": "x", "advancedFilters": []}, {"name": "x", "advancedFilters": {}}),
    *(
        {"name": "x", "filters": {"nothing": 1}},
        {"name": "x", "filters": {"score": "high"}},
        {"name": "x", "filters": {"category": "y"}},
    ),
    {"name": "x", "advancedFilters": where("name", "greaterThan", "a")},
    *({"name": "x", "filters": {}, "ids": [MISSING]}, {"name": "x", "kind": "static", "filters": {}}),
    *({"name": "x", "kind": "static", "ids": ["y"]}, {"name": "x", "kind": "static", "ids": "y"}),
    {"name": "x", "filters": {"segment": MISSING}},
]


def test_what_is_not_a_segment_is_a_400(cast: Cast, people: dict[str, str], subtests: pytest.Subtests) -> None:
    for body in NO_SEGMENTS:
        with subtests.test(str(body)):
            assert cast.key.post(PATH, body).status == 400
    assert cast.key.get(PATH).data == []


def test_the_tree_stays_within_its_limits(cast: Cast) -> None:
    deep = where("name", "equals", "a")
    for _ in range(4):
        deep = {"operator": "or", "conditions": [deep]}
    assert cast.key.post(PATH, {"name": "deep", "advancedFilters": deep}).status == 201
    assert (
        cast.key.post(PATH, {"name": "deeper", "advancedFilters": {"operator": "or", "conditions": [deep]}}).status
        == 400
    )
    many = {
        "operator": "or",
        "conditions": [{"field": "name", "operator": "equals", "value": str(n)} for n in range(50)],
    }
    assert cast.key.post(PATH, {"name": "many", "advancedFilters": many}).status == 201
    refused = cast.key.post(PATH, {"name": "more", "advancedFilters": many, "filters": {"name": "51"}})
    assert (refused.status, refused.body["message"]) == (400, "This request is not possible.")


def test_panel_and_kind_are_set_once(cast: Cast, people: dict[str, str]) -> None:
    dynamic, static = new(cast, "d", filters={}), new(cast, "s", kind="static")
    for id, body in (
        *((dynamic, {"panel": "lead"}), (dynamic, {"kind": "static"}), (dynamic, {"addIds": [people["Ann"]]})),
        *((static, {"filters": {}}), (static, {"kind": "dynamic"})),
    ):
        answer = cast.key.put(f"{PATH}/{id}", body)
        assert (answer.status, answer.body["message"]) == (400, "Some values are missing or wrong."), body
    assert cast.key.put(f"{PATH}/{dynamic}", {"panel": "contact", "kind": "dynamic", "name": "e"}).data["name"] == "e"


def test_a_field_that_was_deleted_since_is_named(cast: Cast, people: dict[str, str]) -> None:
    bonn, score = new(cast, "Bonn", filters={"city": "Bonn"}), new(cast, "Score", filters={"score": 3})
    with cast.scope():
        field = CustomField.objects.get(unique_field_id="city").pk
    assert cast.key.delete("/custom-field", {"ids": [field]}).status == 200
    answer = cast.key.get(f"{PATH}/execute", id=bonn)
    assert (answer.status, answer.body["message"]) == (400, "This request is not possible.")
    assert answer.body["warning"].startswith("segment 'Bonn': the field 'city' is unknown")
    assert answer.body["warning"] == cast.key.get(f"{PATH}/{bonn}").data["problem"]
    listed = {found["name"]: found["problem"] for found in cast.key.get(PATH).data}
    assert listed == {"Bonn": answer.body["warning"], "Score": None}
    assert executed(cast, id=score) == ["Cid"]
    assert cast.key.put(f"{PATH}/{bonn}", {"name": "Cologne"}).status == 200, "its name may change all the same"
    assert cast.key.put(f"{PATH}/{bonn}", {"filters": {"name": "Ann"}}).data["problem"] is None


def test_execute_without_a_segment(cast: Cast, people: dict[str, str]) -> None:
    assert executed(cast, panel="contact") == ["Ann", "Bob", "Cid"]
    assert executed(cast, panel="contact", filters='{"city": "Bonn"}') == ["Ann", "Bob"]
    assert executed(cast, panel="contact", searchValue="CI") == ["Cid"]
    assert executed(cast, panel="lead", filters='{"status": "won"}') == [people["lead 2"]]
    bonn = new(cast, "Bonn", filters={"city": "Bonn"})
    assert executed(cast, id=bonn, panel="contact", advancedFilters='{"field": "score", "operator": "isEmpty"}') == [
        "Bob"
    ]
    for query in (
        {},
        {"panel": "company"},
        {"id": bonn, "panel": "lead"},
        {"id": "x"},
        {"panel": "contact", "filters": '{"x": 1}'},
    ):
        assert cast.key.get(f"{PATH}/execute", **query).status == 400, query
    missing = cast.key.get(f"{PATH}/execute", id=MISSING)
    assert (missing.status, missing.body["message"]) == (400, "Segment not found.")


def test_members_are_paged_by_cursor(cast: Cast, people: dict[str, str]) -> None:
    every = new(cast, "all", filters={})
    first = cast.key.get(f"{PATH}/execute", id=every, cursorPagination="true", n="2", sortBy="name", sortOrder="asc")
    assert ([found["name"] for found in first.data["records"]], first.body["totalCount"]) == (["Ann", "Bob"], 3)
    last = cast.key.get(f"{PATH}/execute", id=every, cursor=first.body["nextCursor"], n="2")
    assert ([found["name"] for found in last.data["records"]], last.body["nextCursor"]) == (["Cid"], None)
    assert last.data["records"][0] == cast.key.get(f"/contact/{people['Cid']}").data
    other = cast.key.get(f"{PATH}/execute", id=new(cast, "others", filters={}), cursor=first.body["nextCursor"], n="2")
    assert (other.status, "belongs to another query" in other.body["warning"]) == (400, True)


def test_lists_and_bulk_changes_take_segments(cast: Cast, people: dict[str, str]) -> None:
    bonn = new(cast, "Bonn", filters={"city": "Bonn"})
    chosen = new(cast, "chosen", kind="static", ids=[people["Bob"], people["Cid"]])
    won = new(cast, "won", panel="lead", filters={"status": "won"})

    def names(**query: Any) -> list[str]:
        answer = cast.key.get("/contact", sortBy="name", sortOrder="asc", **query)
        assert answer.status == 200, answer.body
        return [found["name"] for found in answer.data]

    assert names(filters={"segment": bonn}) == ["Ann", "Bob"]
    assert names(filters={"segment": [bonn, chosen]}) == ["Ann", "Bob", "Cid"]
    assert names(advancedFilters=where("segment", "notEquals", bonn)) == ["Cid"]
    assert names(filters={"segment": chosen, "city": "Bonn"}) == ["Bob"]
    assert names(filters={"segment": won}) == [], "leads' segments select no contacts"
    assert [found["_id"] for found in cast.key.get("/lead", filters={"segment": won}).data] == [people["lead 2"]]
    changed = cast.key.put("/contact", {"selectAll": True, "formData": {"score": 9}}, filters={"segment": bonn})
    assert changed.data == {"matchedCount": 2, "updatedCount": 2}
    assert names(filters={"score": 9}) == ["Ann", "Bob"]


def test_names_are_unique_whatever_their_case(cast: Cast, outsiders: Cast) -> None:
    new(cast, "VIP", filters={})
    other = new(cast, "Other", filters={})
    new(outsiders, "VIP", filters={})
    for answer in (
        cast.key.post(PATH, {"name": "vip", "filters": {}}),
        cast.key.put(f"{PATH}/{other}", {"name": "Vip"}),
    ):
        assert (answer.status, answer.body["message"]) == (400, "A segment with this name already exists.")


def test_deletion(cast: Cast, outsiders: Cast, people: dict[str, str]) -> None:
    a, b, c = new(cast, "a", filters={}), new(cast, "b", kind="static", ids=[people["Ann"]]), new(cast, "c", filters={})
    foreign = new(outsiders, "a", filters={})
    for body in ({"ids": [MISSING]}, {"ids": [foreign]}):
        refused = cast.key.delete(PATH, body)
        assert (refused.status, refused.body["message"]) == (400, "Segment not found.")
    for body in ({}, {"ids": []}, {"ids": ["x"]}):
        assert cast.key.delete(PATH, body).status == 400
    assert cast.key.delete(PATH, {"ids": [a, foreign]}).data == {"deletedCount": 1}
    assert cast.key.delete(PATH, {"selectAll": True, "nids": [c]}).data == {"deletedCount": 1}
    assert [found["_id"] for found in cast.key.get(PATH).data] == [c]
    assert cast.key.get(f"{PATH}/{b}").status == 400
    with cast.scope():
        assert not SegmentRecord.objects.exists()
    assert cast.key.get("/contact").body["totalCount"] == 3
    assert outsiders.key.get(f"{PATH}/{foreign}").status == 200


def test_list_search_sort_page_and_queries(cast: Cast, people: dict[str, str]) -> None:
    new(cast, "Bonn", filters={"city": "Bonn"}, description="by the Rhine")
    new(cast, "won", panel="lead", filters={"status": "won"})
    new(cast, "chosen", kind="static", ids=[people["Ann"]])

    def names(**query: Any) -> list[str]:
        answer = cast.key.get(PATH, **query)
        assert answer.status == 200, answer.body
        return [found["name"] for found in answer.data]

    assert names() == ["chosen", "won", "Bonn"]
    assert names(searchValue="rhine") == ["Bonn"]
    assert names(filters={"panel": "lead"}) == ["won"]
    assert names(filters={"kind": "static"}) == ["chosen"]
    page = cast.key.get(PATH, cursorPagination="true", n="2", sortBy="name", sortOrder="asc")
    assert page.body["totalCount"] == 3
    assert names(cursor=page.body["nextCursor"], n="2") == ["won"]

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get(PATH, p="1", n="50").status == 200
        return len(found)

    queries()
    few = queries()
    for n in range(6):
        new(cast, f"More {n}", filters={"city": str(n), "score": n})
    assert queries() == few


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new(outsiders, "a", filters={})
    for method, body in (("GET", None), ("PUT", {"name": "Mine"})):
        answer = cast.key.call(method, f"{PATH}/{foreign}", body)
        assert (answer.status, answer.body["message"]) == (400, "Segment not found.")
        assert answer.body == cast.key.call(method, f"{PATH}/{MISSING}", body).body
        malformed = cast.key.call(method, f"{PATH}/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get(f"{PATH}/execute", id=foreign).body["message"] == "Segment not found."
    assert cast.key.get(PATH).data == []


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    every = dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)
    allowed, counting, refused = (
        make_cast({"segment": every, "contact": {"GET": True}}),
        make_cast({"segment": every}),
        make_cast({}),
    )
    for made, statuses in (
        (allowed, (200, 201, 200, 200, 200, 200, 200)),
        (counting, (200, 201, 200, 200, 200, 403, 200)),
        (refused, (403,) * 7),
    ):
        id = new(made, "a", filters={})
        calls = [
            *(("GET", PATH, None), ("POST", PATH, {"name": "x", "filters": {}}), ("GET", f"{PATH}/{id}", None)),
            *(("PUT", f"{PATH}/{id}", {"name": "y"}), ("GET", f"{PATH}/execute?id={id}", None)),
            *(("GET", f"{PATH}/execute?id={id}&p=1&n=5", None), ("DELETE", PATH, {"ids": [id]})),
        ]
        found = []
        for method, path, body in calls:
            address, _, query = path.partition("?")
            found.append(
                made.narrow_session.call(
                    method, address, body, dict(part.split("=") for part in query.split("&") if part)
                ).status
            )
        assert tuple(found) == statuses


def test_the_plan_limits_segments(scope: Cast) -> None:
    with limited_creation(Entitlement(limits={"segment": 1})):
        create_segment(actor_id=scope.owner.pk, values={"name": "a"}, filters={}, ids=IdChanges())
        with pytest.raises(NamedError) as refused, transaction.atomic():
            create_segment(actor_id=scope.owner.pk, values={"name": "b"}, filters={}, ids=IdChanges())
    assert refused.value.name == "PlanLimitExceeded_403"
    assert Segment.objects.count() == 1
