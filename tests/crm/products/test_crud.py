"""/product-service (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.access import Entitlement, limited_creation
from core.errors import NamedError
from core.models import Event
from crm.models import CustomField, ProductService, ProductServiceValue
from crm.products.services import create_product
from tests.crm.contacts.helpers import add_field
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast, make_cast

MISSING = "0" * 24
FULL = {
    "name": "Roof",
    "type": "service",
    "description": "new\ntiles",
    "category": "Building",
    "sku": "R-1",
    "price": 1234.5,
    "currency": "eur",
    "unit": "m²",
    "isActive": False,
}


@pytest.fixture
def fields(cast: Cast) -> None:
    """Custom fields of products: grade, weight, colours."""
    with cast.scope():
        panel = CustomField.Panel.PRODUCT_SERVICE
        add_field("grade", panel=panel)
        add_field("weight", "number", "number", panel=panel)
        add_field("colours", "multi-select", "array", options=["red", "blue", "green"], panel=panel)


def new(cast: Cast, name: str = "Roof", **values: Any) -> dict[str, Any]:
    answer = cast.key.post("/product-service", {"formData": {"name": name, **values}})
    assert answer.status == 201, answer.body
    return dict(answer.data)


def events(cast: Cast, kind: str) -> list[tuple[str, Any, bool]]:
    with cast.scope():
        return list(
            Event.objects.filter(kind=f"product-service.{kind}")
            .order_by("id")
            .values_list("object_id", "payload", "automation")
        )


def stored(cast: Cast) -> list[tuple[Any, ...]]:
    """Return the typed rows of custom values."""
    with cast.scope():
        rows = ProductServiceValue.objects.order_by("field__name", "position").values_list(
            "field__name", "position", "text", "number"
        )
        return [tuple(row) for row in rows]


def test_create_and_read(cast: Cast, fields: None) -> None:
    made = new(cast, **{**FULL, "grade": "A", "weight": 2.5, "colours": ["red", "blue"]})
    assert {key: made[key] for key in FULL} == {**FULL, "currency": "EUR"}
    assert made["formData"] == {**FULL, "currency": "EUR", "grade": "A", "weight": 2.5, "colours": ["red", "blue"]}
    assert made["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert made["isDeleted"] is False
    assert cast.key.get(f"/product-service/{made['_id']}").data == made
    assert stored(cast) == [
        ("colours", 0, "red", None),
        ("colours", 1, "blue", None),
        ("grade", 0, "A", None),
        ("weight", 0, None, 2.5),
    ]
    assert events(cast, "created") == [(made["_id"], {}, True)]


def test_what_a_new_one_has_by_default(cast: Cast) -> None:
    with cast.scope():
        add_field("grade", panel=CustomField.Panel.PRODUCT_SERVICE, default_value="B")
    made = new(cast, " Roof   tile ")
    assert made["formData"] == {
        "name": "Roof tile",
        "type": "product",
        "description": "",
        "category": "",
        "sku": "",
        "price": None,
        "currency": "",
        "unit": "",
        "isActive": True,
        "grade": "B",
    }


@pytest.mark.parametrize(
    ("values", "message", "warning"),
    [
        ({}, "Enter the name of the product.", "name: is required"),
        ({"name": ""}, "Enter the name of the product.", "name: is required"),
        ({"name": None}, "Enter the name of the product.", "name: is required"),
        ({"name": ["Roof"]}, "The value of a system field is not valid.", "name: "),
        ({"name": "x" * 301}, "The value of a system field is not valid.", "name: "),
        ({"name": "x", "type": "idea"}, "The value of a system field is not valid.", "type: "),
        ({"name": "x", "price": -1}, "The value of a system field is not valid.", "price: enter 0 or more"),
        ({"name": "x", "price": 1e15}, "The value of a system field is not valid.", "price: enter at most 14 digits"),
        ({"name": "x", "price": "free"}, "The value of a system field is not valid.", "price: "),
        (
            {"name": "x", "currency": "DEM"},
            "The value of a system field is not valid.",
            "currency: enter the code of a currency",
        ),
        ({"name": "x", "isActive": "yes"}, "The value of a system field is not valid.", "isActive: "),
        ({"name": "x", "sku": "x" * 101}, "The value of a system field is not valid.", "sku: "),
        ({"name": "x", "weight": "heavy"}, "The value of a field is not valid.", "weight: "),
        ({"name": "x", "shade": "red"}, "Field not found in your company.", "shade: there is no such field"),
    ],
)
def test_values_that_do_not_fit_are_named(
    cast: Cast, fields: None, values: dict[str, Any], message: str, warning: str
) -> None:
    answer = cast.key.post("/product-service", {"formData": values})
    assert (answer.status, answer.body["message"]) == (400, message)
    assert answer.body["warning"].startswith(warning), answer.body["warning"]
    assert cast.key.get("/product-service").data == []


def test_skip_invalid_leaves_out_what_is_not_required(cast: Cast, fields: None) -> None:
    body = {"formData": {"name": "Roof", "price": -1, "weight": "heavy", "grade": "A"}, "skipInvalid": True}
    made = cast.key.post("/product-service", body)
    assert (made.status, made.data["price"], made.data["formData"].get("weight"), made.data["formData"]["grade"]) == (
        201,
        None,
        None,
        "A",
    )
    assert made.body["warning"].startswith("left out: price: enter 0 or more; weight: ")
    refused = cast.key.post("/product-service", {"formData": {"name": ["Roof"]}, "skipInvalid": True})
    assert (refused.status, refused.body["message"]) == (400, "The value of a system field is not valid.")


@pytest.mark.parametrize(
    "body", [[], {"title": "Roof"}, {"formData": []}, {"formData": {"name": "x"}, "automation": "later"}]
)
def test_a_malformed_body_is_a_400(cast: Cast, body: Any) -> None:
    assert cast.key.post("/product-service", body).status == 400
    assert cast.key.get("/product-service").data == []


def test_required_values_and_system_fields_that_the_company_requires(cast: Cast) -> None:
    with cast.scope():
        add_field("grade", panel=CustomField.Panel.PRODUCT_SERVICE, required=True)
        CustomField.objects.filter(panel="productService", unique_field_id="sku").update(required=True)
    refused = cast.key.post("/product-service", {"formData": {"name": "Roof"}})
    assert (refused.status, refused.body["message"]) == (400, "Enter the name of the product.")
    assert refused.body["warning"] == "sku: is required; grade: is required"
    made = new(cast, sku="R-1", grade="A")
    place = f"/product-service/{made['_id']}"
    assert cast.key.put(place, {"formData": {"grade": None}}).body["message"] == "The value of a field is not valid."
    assert cast.key.put(place, {"formData": {"sku": ""}}).body["message"] == "The value of a system field is not valid."
    bulk = cast.key.put("/product-service", {"ids": [made["_id"]], "formData": {"sku": None}, "updateType": "clear"})
    assert (bulk.status, bulk.body["message"]) == (400, "The value of a system field is not valid.")
    assert cast.key.get(place).data == made


def test_names_are_unique_among_the_living_whatever_their_case(cast: Cast, outsiders: Cast) -> None:
    first, second = new(cast), new(cast, "Wall")
    taken = cast.key.post("/product-service", {"formData": {"name": "ROOF"}})
    assert (taken.status, taken.body["message"]) == (400, "A product with this name already exists.")
    taken = cast.key.put(f"/product-service/{second['_id']}", {"formData": {"name": "roof", "sku": "W"}})
    assert (taken.status, taken.body["message"]) == (400, "A product with this name already exists.")
    assert cast.key.get(f"/product-service/{second['_id']}").data == second
    assert cast.key.put(f"/product-service/{first['_id']}", {"formData": {"name": "ROOF"}}).data["name"] == "ROOF"
    new(outsiders)
    assert cast.key.delete("/product-service", {"ids": [first["_id"]]}).status == 200
    new(cast, "roof")


def test_update_one(cast: Cast, fields: None) -> None:
    made = new(cast, **{**FULL, "grade": "A", "weight": 2, "colours": ["red"]})
    place = f"/product-service/{made['_id']}"
    values = {
        "price": None,
        "sku": "",
        "isActive": True,
        "type": "product",
        "grade": None,
        "weight": 3,
        "description": "old",
    }
    changed = cast.key.put(place, {"formData": values, "automation": "skip"})
    assert changed.status == 200
    after = {"price": None, "sku": "", "isActive": True, "type": "product", "weight": 3, "description": "old"}
    expected = {**FULL, "currency": "EUR", "colours": ["red"], **after}
    assert changed.data["formData"] == expected
    assert stored(cast) == [("colours", 0, "red", None), ("weight", 0, None, 3)]
    ((id, payload, automation),) = events(cast, "updated")
    assert (id, automation) == (made["_id"], False)
    assert payload["changes"] == {
        "price": {"from": 1234.5, "to": None},
        "sku": {"from": "R-1", "to": ""},
        "isActive": {"from": False, "to": True},
        "type": {"from": "service", "to": "product"},
        "description": {"from": "new\ntiles", "to": "old"},
        "grade": {"from": "A", "to": None},
        "weight": {"from": 2, "to": 3},
    }
    again = cast.key.put(place, {"formData": {"weight": 3}})
    assert again.data == changed.data, "what stays the same is not written"
    assert len(events(cast, "updated")) == 1


@pytest.mark.parametrize(("key", "empty"), [("isActive", None), ("type", None), ("type", " ")])
def test_a_value_that_cannot_be_empty_refuses_null(cast: Cast, key: str, empty: str | None) -> None:
    made = new(cast, isActive=False, type="service")
    place = f"/product-service/{made['_id']}"
    for caller in (cast.key, cast.session):
        for address, body in (
            (place, {key: empty}),
            (place, {"formData": {key: empty}}),
            (place, made | {key: empty, "formData": made["formData"] | {key: empty}}),
            ("/product-service", {"ids": [made["_id"]], "formData": {key: empty}}),
        ):
            refused = caller.put(address, body)
            assert (refused.status, refused.body["name"]) == (400, "InvalidSystemField_400"), refused.body
            assert refused.body["errors"][0]["field"] == key
        cleared = caller.put("/product-service", {"ids": [made["_id"]], "formData": {key: ""}, "updateType": "clear"})
        assert (cleared.status, cleared.body["name"]) == (400, "InvalidSystemField_400")
    assert cast.key.get(place).data == made


def test_bulk_update_tells_what_each_had(cast: Cast, outsiders: Cast, fields: None) -> None:
    one, two, three = (
        new(cast, "One", price=1, grade="A"),
        new(cast, "Two", price=2, category="X"),
        new(cast, "Three", price=2),
    )
    foreign = new(outsiders, "One")
    body = {"ids": [one["_id"], two["_id"], foreign["_id"]], "formData": {"price": 2, "category": "X", "grade": "B"}}
    answer = cast.key.put("/product-service", body)
    assert (answer.status, answer.data) == (200, {"matchedCount": 2, "updatedCount": 2})
    assert {id: payload["changes"] for id, payload, _ in events(cast, "updated")} == {
        one["_id"]: {
            "price": {"from": 1, "to": 2},
            "category": {"from": "", "to": "X"},
            "grade": {"from": "A", "to": "B"},
        },
        two["_id"]: {"grade": {"from": None, "to": "B"}},
    }
    assert cast.key.put("/product-service", body).data == {"matchedCount": 2, "updatedCount": 0}
    selected = {"selectAll": True, "nids": [two["_id"]], "formData": {"isActive": False}}
    assert cast.key.put("/product-service", selected, filters={"price": 2}).data == {
        "matchedCount": 2,
        "updatedCount": 2,
    }
    listed = cast.key.get("/product-service", sortBy="createdAt", sortOrder="asc").data
    assert [found["isActive"] for found in listed] == [False, True, False]
    assert outsiders.key.get(f"/product-service/{foreign['_id']}").data == foreign
    assert cast.key.get(f"/product-service/{three['_id']}").data["price"] == 2


def test_append_remove_and_clear(cast: Cast, fields: None) -> None:
    ids = [new(cast, "One", colours=["red"], price=1, currency="EUR", type="service")["_id"], new(cast, "Two")["_id"]]

    def change(update_type: str, **values: Any) -> list[Any]:
        answer = cast.key.put("/product-service", {"ids": ids, "formData": values, "updateType": update_type})
        assert answer.status == 200, answer.body
        return [cast.key.get(f"/product-service/{id}").data["formData"].get("colours") for id in ids]

    assert change("append", colours=["blue", "red"]) == [["red", "blue"], ["blue", "red"]]
    assert change("remove", colours=["red"]) == [["blue"], ["blue"]]
    assert change("clear", colours=None, price=None, currency=None) == [None, None]
    cleared = cast.key.get(f"/product-service/{ids[0]}").data
    assert (cleared["price"], cleared["currency"]) == (None, "")
    assert stored(cast) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"formData": {"name": "Same"}}, "You can't change a record's unique values here."),
        (
            {"formData": {"name": "Same"}, "updateType": "clear"},
            "You can't change a record's unique values here.",
        ),
        ({"formData": {}}, "The request is not complete or has wrong values."),
        ({"formData": {"shade": 1}}, "Field not found in your company."),
        ({"formData": {"currency": "DEM"}}, "The value of a system field is not valid."),
        ({"formData": {"sku": "x"}, "updateType": "append"}, "The value of a system field is not valid."),
        ({"formData": {"sku": "x"}, "ids": [MISSING]}, "Product not found."),
    ],
)
def test_bulk_updates_that_are_refused(cast: Cast, body: dict[str, Any], message: str) -> None:
    made = new(cast)
    answer = cast.key.put("/product-service", {"ids": [made["_id"]], **body})
    assert (answer.status, answer.body["message"]) == (400, message)
    assert cast.key.get(f"/product-service/{made['_id']}").data == made


def test_deletion_is_soft_and_leads_keep_their_product(cast: Cast, outsiders: Cast) -> None:
    roof, wall = new(cast)["_id"], new(cast, "Wall")["_id"]
    foreign = new(outsiders)["_id"]
    lead = make(cast, productServices=[roof])
    for body in ({}, {"ids": []}, {"ids": ["x"]}, {"ids": [MISSING]}, {"ids": [foreign]}):
        assert cast.key.delete("/product-service", body).status == 400
    answer = cast.key.delete("/product-service", {"ids": [roof, foreign]})
    assert (answer.status, answer.data) == (200, {"deletedCount": 1})
    assert [found["_id"] for found in cast.key.get("/product-service").data] == [wall]
    assert cast.key.get(f"/product-service/{roof}").body["message"] == "Product not found."
    assert events(cast, "deleted") == [(roof, {}, True)]
    assert cast.key.get(f"/lead/{lead['_id']}").data["productServices"] == [{"_id": roof, "name": "Roof"}]
    assert cast.key.put(f"/lead/{lead['_id']}", {"productServices": [roof]}).body["message"] == "Product not found."
    with cast.scope():
        assert ProductService.objects.get(pk=roof).deleted_at is not None
    assert outsiders.key.get(f"/product-service/{foreign}").status == 200


def test_list_search_filter_sort_page(cast: Cast, fields: None) -> None:
    new(cast, "Roof", price=20, category="Building", weight=5, colours=["red"])
    new(cast, "Wall", price=3.5, sku="W-1", weight=7, colours=["red", "blue"])
    new(cast, "Advice", type="service", isActive=False, description="an hour")

    def names(**query: Any) -> list[str]:
        answer = cast.key.get("/product-service", **query)
        assert answer.status == 200, answer.body
        return [found["name"] for found in answer.data]

    assert names() == ["Advice", "Wall", "Roof"]
    assert names(sortBy="price", sortOrder="asc") == ["Wall", "Roof", "Advice"]
    assert names(sortBy="weight", sortOrder="desc") == ["Wall", "Roof", "Advice"]
    assert names(filters={"type": "service"}) == ["Advice"]
    assert names(filters={"isActive": True}) == ["Wall", "Roof"]
    assert names(filters={"colours": "blue"}) == ["Wall"]
    assert names(advancedFilters={"conditions": [{"field": "price", "operator": "greaterThan", "value": 3.5}]}) == [
        "Roof"
    ]
    assert names(searchValue="w-") == ["Wall"]
    assert names(searchValue="HOUR") == ["Advice"]
    page = cast.key.get("/product-service", cursorPagination="true", n="2", sortBy="name", sortOrder="asc")
    assert ([found["name"] for found in page.data], page.body["totalCount"]) == (["Advice", "Roof"], 3)
    assert names(cursor=page.body["nextCursor"], n="2") == ["Wall"]
    assert cast.key.get("/product-service", filters={"price": "x"}).status == 400

    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert cast.key.get("/product-service", p="1", n="50").status == 200
        return len(found)

    queries()
    few = queries()
    for n in range(8):
        new(cast, f"More {n}")
    assert queries() == few


def test_another_companys_looks_missing(cast: Cast, outsiders: Cast) -> None:
    foreign = new(outsiders)["_id"]
    for method, body in (("GET", None), ("PUT", {"formData": {"name": "Mine"}})):
        answer = cast.key.call(method, f"/product-service/{foreign}", body)
        assert (answer.status, answer.body["message"]) == (400, "Product not found.")
        assert answer.body == cast.key.call(method, f"/product-service/{MISSING}", body).body
        malformed = cast.key.call(method, "/product-service/xyz", body)
        assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    assert cast.key.get("/product-service").data == []


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed = make_cast({"product-service": dict.fromkeys(("GET", "POST", "PUT", "DELETE"), True)})
    for made, statuses in ((allowed, (200, 201, 200, 200, 200, 200)), (make_cast({}), (403,) * 6)):
        id = new(made)["_id"]
        path, one = "/product-service", f"/product-service/{id}"
        calls = [
            *(("GET", path, None), ("POST", path, {"formData": {"name": "x"}}), ("GET", one, None)),
            *(("PUT", one, {"formData": {"sku": "y"}}), ("PUT", path, {"ids": [id], "formData": {"sku": "z"}})),
            ("DELETE", path, {"ids": [id]}),
        ]
        assert tuple(made.narrow_session.call(*call).status for call in calls) == statuses


def test_the_plan_limits_products(scope: Cast) -> None:
    with limited_creation(Entitlement(limits={"product-service": 1})):
        create_product(actor_id=scope.owner.pk, form_data={"name": "Roof"})
        with pytest.raises(NamedError) as refused, transaction.atomic():
            create_product(actor_id=scope.owner.pk, form_data={"name": "Wall"})
    assert refused.value.name == "PlanLimitExceeded_403"
    assert ProductService.objects.count() == 1
