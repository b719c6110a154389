"""/custom-section (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.access import Entitlement, limited_creation
from core.errors import NamedError
from crm.custom_fields.sections import check_section, create_section
from crm.models import CustomField, CustomSection
from tests.crm.contacts.helpers import add_field
from tests.kit.cast import Cast, make_cast

PATH = "/custom-section"
MISSING = "0" * 24


def new(cast: Cast, name: str, **values: Any) -> str:
    answer = cast.key.post(PATH, {"name": name, **values})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def order(cast: Cast, **query: Any) -> dict[str, int]:
    """Return name -> order of the sections, as they are listed."""
    found = cast.key.get(PATH, sortBy="order", sortOrder="asc", **query)
    assert found.status == 200, found.body
    return {section["name"]: section["order"] for section in found.data}


def test_create_read_update(cast: Cast) -> None:
    made = cast.key.post(PATH, {"name": "Address", "description": "where", "hide": True})
    assert made.status == 201
    wanted = {"name": "Address", "description": "where", "panel": "contact", "order": 1, "hide": True}
    assert {key: made.data[key] for key in wanted} == wanted
    assert made.data["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    place = f"{PATH}/{made.data['_id']}"
    assert cast.key.get(place).data == made.data
    changed = cast.key.put(place, {"name": "Home", "panel": "contact", "hide": False})
    assert (changed.status, changed.data["name"], changed.data["hide"], changed.data["description"]) == (
        200,
        "Home",
        False,
        "where",
    )
    moved = cast.key.put(place, {"panel": "lead"})
    assert (moved.status, moved.body["message"]) == (400, "Fields belong to contacts, leads or products.")
    new(cast, "Work")
    new(cast, "Deal", panel="lead")
    new(cast, "First", order=0)
    assert order(cast, filters={"panel": "contact"}) == {"First": 0, "Home": 1, "Work": 2}
    assert order(cast, filters={"panel": "lead"}) == {"Deal": 1}


def test_names_are_unique_in_their_panel(cast: Cast, outsiders: Cast) -> None:
    new(cast, "Address")
    other = new(cast, "Work")
    new(cast, "Address", panel="lead")
    new(outsiders, "Address")
    for answer in (cast.key.post(PATH, {"name": "ADDRESS"}), cast.key.put(f"{PATH}/{other}", {"name": "address"})):
        assert (answer.status, answer.body["message"]) == (400, "A section with this name already exists.")
    assert sorted((found["panel"], found["name"]) for found in cast.key.get(PATH).data) == [
        ("contact", "Address"),
        ("contact", "Work"),
        ("lead", "Address"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        *(
            {},
            {"name": ""},
            {"name": 1},
            {"name": "x" * 201},
            {"name": "x", "shade": 1},
            {"name": "x", "order": "1"},
            [],
        ),
        *(
            {"name": "x", "hide": "no"},
            {"name": "x", "panel": "company"},
            {"name": "x", "panel": 1},
            {"name": "x", "order": 2**31},
        ),
    ],
)
def test_a_malformed_body_is_a_400(cast: Cast, body: Any) -> None:
    assert cast.key.post(PATH, body).status == 400
    assert cast.key.get(PATH).data == []


def test_reorder_all_or_some(cast: Cast) -> None:
    a, b, c, d = (new(cast, name) for name in "abcd")
    other = new(cast, "deal", panel="lead", order=7)
    answer = cast.key.put(f"{PATH}/reorder", {"ids": [d, c, b, a]})
    assert (answer.status, [found["name"] for found in answer.data["sections"]]) == (200, ["d", "c", "b", "a"])
    assert [found["order"] for found in answer.data["sections"]] == [1, 2, 3, 4]
    with cast.scope():
        before = CustomSection.objects.get(pk=d).updated_at
    answer = cast.key.put(f"{PATH}/reorder", {"ids": [a, c]})
    assert [found["name"] for found in answer.data["sections"]] == ["a", "c", "d", "b"]
    assert order(cast, filters={"panel": "contact"}) == {"a": 1, "c": 2, "d": 3, "b": 4}
    with cast.scope():
        assert CustomSection.objects.get(pk=other).order == 7
        assert CustomSection.objects.get(pk=c).updated_at < CustomSection.objects.get(pk=d).updated_at
        assert CustomSection.objects.get(pk=d).updated_at > before


def test_reorders_that_are_refused(cast: Cast, outsiders: Cast) -> None:
    a, lead, foreign = new(cast, "a"), new(cast, "b", panel="lead"), new(outsiders, "c")
    refusals: list[tuple[Any, str]] = [
        ({}, "Select at least one section."),
        ({"ids": []}, "Select at least one section."),
        ({"ids": [a, MISSING]}, "Section not found."),
        ({"ids": [a, foreign]}, "Section not found."),
        ({"ids": [a, lead]}, "Fields belong to contacts, leads or products."),
        ({"ids": [a, "x"]}, "Invalid format for field ids: x"),
    ]
    for body, message in refusals:
        answer = cast.key.put(f"{PATH}/reorder", body)
        assert (answer.status, answer.body["message"]) == (400, message), body
    assert order(cast) == {"a": 1, "b": 1}


def test_deleting_a_section_leaves_its_fields(cast: Cast, outsiders: Cast) -> None:
    a, b, c = (new(cast, name) for name in "abc")
    foreign = new(outsiders, "a")
    with cast.scope():
        inside, beside, free = add_field("inside", section=a), add_field("beside", section=b), add_field("free")
    for body in ({}, {"ids": []}, {"selectAll": False}):
        answer = cast.key.delete(PATH, body)
        assert (answer.status, answer.body["message"]) == (400, "Select at least one section.")
    for body in ({"ids": [MISSING]}, {"ids": [foreign]}):
        answer = cast.key.delete(PATH, body)
        assert (answer.status, answer.body["message"]) == (400, "Section not found.")
    answer = cast.key.delete(PATH, {"ids": [a, foreign]})
    assert (answer.status, answer.data) == (200, {"deletedCount": 1})
    assert cast.key.get(f"{PATH}/{a}").body["message"] == "Section not found."
    with cast.scope():
        assert dict(CustomField.objects.filter(is_system=False).values_list("pk", "section")) == {
            inside.pk: None,
            beside.pk: b,
            free.pk: None,
        }
        assert CustomField.objects.filter(pk=inside.pk, section__isnull=True).exists()
    assert cast.key.delete(PATH, {"selectAll": True, "nids": [c]}).data == {"deletedCount": 1}
    assert list(order(cast)) == ["c"]
    assert outsiders.key.get(f"{PATH}/{foreign}").status == 200


def test_what_a_field_may_name_as_its_section(scope: Cast, outsiders: Cast) -> None:
    mine, theirs = new(scope, "a"), new(outsiders, "b")
    check_section("contact", mine)
    for panel, id in (
        ("lead", mine),
        ("contact", theirs),
        ("contact", MISSING),
        ("contact", "x"),
        ("contact", {"name": "a"}),
        ("contact", None),
    ):
        with pytest.raises(NamedError) as refused:
            check_section(panel, id)
        assert refused.value.name == "InvalidSectionId_400"


def test_list_search_sort_page_and_queries(cast: Cast) -> None:
    for n in range(3):
        new(cast, f"Section {n}", description="home" if n == 1 else "")
    assert [found["name"] for found in cast.key.get(PATH).data] == ["Section 2", "Section 1", "Section 0"]
    assert [found["name"] for found in cast.key.get(PATH, searchValue="HOM").data] == ["Section 1"]
    page = cast.key.get(PATH, cursorPagination="true", n="2")
    assert (page.body["totalCount"], len(page.data)) == (3, 2)
    assert [found["name"] for found in cast.key.get(PATH, cursor=page.body["nextCursor"], n="2").data] == ["Section 0"]

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get(PATH, p="1", n="50").status == 200
        return len(found)

    queries()
    few = queries()
    for n in range(3, 10):
        new(cast, f"Section {n}")
    assert queries() == few


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new(outsiders, "a")
    for method, body in (("GET", None), ("PUT", {"name": "Mine"})):
        answer = cast.key.call(method, f"{PATH}/{foreign}", body)
        assert (answer.status, answer.body["message"]) == (400, "Section not found.")
        assert answer.body == cast.key.call(method, f"{PATH}/{MISSING}", body).body
        malformed = cast.key.call(method, f"{PATH}/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get(PATH).data == []


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed = make_cast({"custom-section": dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)})
    for made, statuses in ((allowed, (200, 201, 200, 200, 200, 200)), (make_cast({}), (403,) * 6)):
        id = new(made, "a")
        calls = [
            *(("GET", PATH, None), ("POST", PATH, {"name": "x"}), ("GET", f"{PATH}/{id}", None)),
            *(
                ("PUT", f"{PATH}/{id}", {"name": "y"}),
                ("PUT", f"{PATH}/reorder", {"ids": [id]}),
                ("DELETE", PATH, {"ids": [id]}),
            ),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses


def test_the_plan_limits_sections(scope: Cast) -> None:
    with limited_creation(Entitlement(limits={"custom-section": 1})):
        create_section(actor_id=scope.owner.pk, values={"name": "a"})
        with pytest.raises(NamedError) as refused, transaction.atomic():
            create_section(actor_id=scope.owner.pk, values={"name": "b"})
    assert refused.value.name == "PlanLimitExceeded_403"


def test_a_field_stands_in_a_section_of_its_panel(cast: Cast) -> None:
    here = cast.key.post(PATH, {"name": "Here", "panel": "contact"}).data["_id"]
    there = cast.key.post(PATH, {"name": "There", "panel": "lead"}).data["_id"]
    made = cast.key.post("/custom-field", {"name": "City", "fieldType": "text", "section": here})
    assert (made.status, made.data["section"]) == (201, here)
    for wrong in (there, MISSING):
        for answer in (
            cast.key.post("/custom-field", {"name": "Town", "fieldType": "text", "section": wrong}),
            cast.key.put(f"/custom-field/{made.data['_id']}", {"section": wrong}),
        ):
            assert (answer.status, answer.body["message"]) == (400, "Choose a section of the same kind of record."), (
                answer.body
            )
