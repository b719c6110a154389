"""/custom-field (contract 4.4)"""

from __future__ import annotations

from typing import Any

import pytest

from crm.custom_fields.services import SYSTEM_FIELDS
from crm.field_types import FIELD_TYPES
from crm.models import Contact, CustomField, CustomFieldValue
from tests.crm.contacts.helpers import form
from tests.kit.cast import Cast, make_cast

SYSTEM = sum(len(fields) for fields in SYSTEM_FIELDS.values())


def made(cast: Cast, **values: Any) -> dict[str, Any]:
    answer = cast.key.post("/custom-field", {"name": "City", "fieldType": "text", **values})
    assert answer.status == 201, answer.body
    return answer.data


def test_a_company_starts_with_the_system_fields(cast: Cast) -> None:
    listed = cast.key.get("/custom-field", sortBy="order", sortOrder="asc", filters={"panel": "contact"})
    assert [
        (found["uniqueFieldID"], found["fieldType"], found["required"], found["isSystem"], found["panel"])
        for found in listed.data
    ] == [
        ("name", "text", False, True, "contact"),
        ("email", "email", True, True, "contact"),
        ("countryCode", "text", True, True, "contact"),
        ("number", "phone", True, True, "contact"),
    ]


def test_the_bootstrap_of_a_company_seeds_them_once(cast: Cast) -> None:
    from core.tenancy.provisioning import provision_company

    with cast.scope():
        provision_company()
        assert CustomField.objects.filter(is_system=True).count() == SYSTEM


def test_create_with_defaults_read_and_list(cast: Cast) -> None:
    field = made(cast)
    assert field["uniqueFieldID"] == field["_id"]
    assert field["company"] == cast.company.pk
    assert {key: field[key] for key in ("panel", "valueType", "fieldType", "required", "hide", "onlyShowTable")} == {
        "panel": "contact",
        "valueType": "string",
        "fieldType": "text",
        "required": False,
        "hide": False,
        "onlyShowTable": False,
    }
    assert (field["options"], field["children"], field["defaultValue"], field["isSystem"]) == ([], [], None, False)
    assert cast.key.get(f"/custom-field/{field['_id']}").data == field
    assert [found["name"] for found in cast.key.get("/custom-field", filters={"isSystem": False}).data] == ["City"]
    lead = made(cast, panel="lead")
    assert [
        found["_id"] for found in cast.key.get("/custom-field", filters={"panel": "lead", "isSystem": False}).data
    ] == [lead["_id"]]


def test_everything_that_can_be_given_comes_back(cast: Cast) -> None:
    field = made(
        cast,
        name="Order",
        description="d",
        section={"a": 1},
        order=7,
        hide=True,
        onlyShowTable=True,
        fieldType="text",
        valueType="array",
        required=True,
        placeholder="p",
        helper="h",
        uniqueFieldID="order_lines",
        children=[
            {"name": "sku", "fieldType": "text", "valueType": "string", "required": True},
            {
                "name": "size",
                "fieldType": "select",
                "valueType": "string",
                "options": [{"label": "S"}, {"value": "l", "label": "L"}],
            },
        ],
    )
    assert (field["section"], field["order"], field["uniqueFieldID"]) == ({"a": 1}, 7, "order_lines")
    assert field["children"][1]["options"] == [
        {"label": "S", "description": "", "value": "S"},
        {"label": "L", "description": "", "value": "l"},
    ]
    saved = cast.key.post("/contact", {"formData": form(1, order_lines=[{"sku": "a1", "size": "l"}])})
    assert saved.data["formData"]["order_lines"] == [{"sku": "a1", "size": "l"}]
    refused = cast.key.post("/contact", {"formData": form(2, order_lines=[{"size": "l"}])})
    assert refused.body["warning"] == "order_lines: Order: item 0: sku: enter a value"


@pytest.mark.parametrize("field_type", list(FIELD_TYPES))
def test_each_field_type_has_a_default_value_type(cast: Cast, field_type: str) -> None:
    assert made(cast, fieldType=field_type)["valueType"] == FIELD_TYPES[field_type].value_types[0]


def nested(depth: int) -> dict[str, Any]:
    child: dict[str, Any] = {"name": "x", "fieldType": "text", "valueType": "string"}
    for _ in range(depth - 1):
        child = {"name": "x", "fieldType": "text", "valueType": "object", "children": [child]}
    return child


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"name": None}, None),
        ({"fieldType": "colour"}, None),
        ({"valueType": "colour"}, None),
        ({"surprise": 1}, None),
        ({"options": "x"}, None),
        ({"options": ["x"]}, None),
        ({"order": 2**40}, None),
        ({"uniqueFieldID": "a,b"}, None),
        ({"panel": "planet"}, "Fields belong to contacts, leads or products."),
        ({"fieldType": "number", "valueType": "string"}, "Some values are missing or wrong."),
        ({"fieldType": "select", "options": [{"label": ""}]}, "Some values are missing or wrong."),
        ({"fieldType": "select", "options": [{"label": "A"}, {"value": "A"}]}, "Some values are missing or wrong."),
        ({"fieldType": "select", "options": [{"label": "A", "colour": "x"}]}, "Some values are missing or wrong."),
        ({"fieldType": "select", "options": [{"label": 1}]}, "Some values are missing or wrong."),
        ({"fieldType": "number", "defaultValue": "x"}, "Some values are missing or wrong."),
        (
            {"fieldType": "select", "options": [{"label": "A"}], "defaultValue": "B"},
            "Some values are missing or wrong.",
        ),
        ({"uniqueFieldID": "email"}, "Some values are missing or wrong."),
        ({"uniqueFieldID": "createdAt"}, "Some values are missing or wrong."),
        ({"children": [{"name": "x"}]}, "Some values are missing or wrong."),
        (
            {"valueType": "object", "children": [{"name": "x", "fieldType": "text"}]},
            "Some values are missing or wrong.",
        ),
        ({"valueType": "object", "children": [nested(1), nested(1)]}, "Some values are missing or wrong."),
        ({"valueType": "object", "children": [{**nested(1), "surprise": 1}]}, "Some values are missing or wrong."),
        ({"valueType": "object", "children": [nested(6)]}, "Some values are missing or wrong."),
        ({"valueType": "object", "children": [{**nested(1), "defaultValue": 5}]}, "Some values are missing or wrong."),
        ({"section": [[[[[[[[[[[[1]]]]]]]]]]]]}, "Some values are missing or wrong."),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused(cast: Cast, values: dict[str, Any], message: str | None) -> None:
    answer = cast.key.post("/custom-field", {"name": "City", "fieldType": "text", **values})
    assert answer.status == 400
    if message:
        assert answer.body["message"] == message
    assert cast.key.get("/custom-field").body["totalCount"] == SYSTEM


def test_five_levels_of_children_are_fine(cast: Cast) -> None:
    made(cast, valueType="object", children=[nested(5)])


def test_names_and_keys_are_taken_once_a_panel(cast: Cast, outsiders: Cast) -> None:
    field = made(cast, uniqueFieldID="city")
    assert (
        cast.key.post("/custom-field", {"name": "City", "fieldType": "text"}).body["message"]
        == "A field with this name already exists."
    )
    assert cast.key.post("/custom-field", {"name": "Town", "fieldType": "text", "uniqueFieldID": "city"}).status == 400
    made(cast, panel="lead", uniqueFieldID="city")
    made(outsiders, uniqueFieldID="city")
    other = made(cast, name="Town")
    taken = cast.key.put(f"/custom-field/{other['_id']}", {"name": "City"})
    assert (taken.status, taken.body["message"]) == (400, "A field with this name already exists.")
    assert cast.key.put(f"/custom-field/{field['_id']}", {"name": "City"}).status == 200


def test_update_changes_what_may_change(cast: Cast) -> None:
    field = made(cast, uniqueFieldID="city")
    path = f"/custom-field/{field['_id']}"
    changed = cast.key.put(
        path, {"name": "Town", "required": True, "fieldType": "select", "options": [{"label": "Bonn"}]}
    )
    assert (changed.data["name"], changed.data["required"], changed.data["fieldType"]) == ("Town", True, "select")
    assert cast.key.put(path, {"uniqueFieldID": "town"}).status == 400
    assert cast.key.put(path, {"uniqueFieldID": "city"}).status == 200
    assert cast.key.put(path, {"panel": "lead"}).body["message"] == "Fields belong to contacts, leads or products."
    assert cast.key.post("/contact", {"formData": form(1, city="Bonn")}).status == 200
    refused = cast.key.put(path, {"fieldType": "number"})
    assert (refused.status, refused.body["message"]) == (400, "The value of a field is not valid.")
    assert cast.key.put(path, {"helper": "where"}).data["helper"] == "where"


def test_system_fields_change_little(cast: Cast) -> None:
    fields = {found["uniqueFieldID"]: found["_id"] for found in cast.key.get("/custom-field").data}
    path = f"/custom-field/{fields['number']}"
    changed = cast.key.put(
        path, {"name": "Phone", "required": False, "order": 9, "hide": True, "placeholder": "p", "helper": "h"}
    )
    assert (changed.status, changed.data["name"], changed.data["required"], changed.data["order"]) == (
        200,
        "Phone",
        False,
        9,
    )
    for values in (
        {"fieldType": "text"},
        {"valueType": "any"},
        {"defaultValue": "1"},
        {"options": [{"label": "a"}]},
        {"description": "x"},
    ):
        refused = cast.key.put(path, values)
        assert (refused.status, refused.body["message"]) == (400, "The value of a system field is not valid.")
    assert cast.key.put(f"/custom-field/{fields['countryCode']}", {"required": False}).status == 200
    assert cast.key.post("/contact", {"formData": {"email": "ann@example.com"}}).data["number"] is None
    assert (
        cast.key.delete("/custom-field", {"ids": [fields["number"]]}).body["message"]
        == "The value of a system field is not valid."
    )


def test_delete_takes_the_values_along(cast: Cast) -> None:
    city, town = made(cast, uniqueFieldID="city"), made(cast, name="Town", uniqueFieldID="town")
    kept = cast.key.post("/contact", {"formData": form(1, city="Bonn", town="Ulm")}).data["_id"]
    answer = cast.key.delete("/custom-field", {"ids": [city["_id"]]})
    assert (answer.status, answer.data) == (200, {"deletedCount": 1})
    with cast.scope():
        assert Contact.objects.get(pk=kept).custom == {"town": "Ulm"}
        assert list(CustomFieldValue.objects.values_list("field_id", flat=True)) == [town["_id"]]
    assert (
        cast.key.post("/contact", {"formData": form(2, city="Bonn")}).body["message"]
        == "Field not found in your company."
    )
    assert cast.key.delete("/custom-field", {"ids": [city["_id"]]}).body["message"] == "Field not found."
    assert cast.key.delete("/custom-field", {"ids": []}).status == 400


def test_another_companys_field_looks_missing(cast: Cast, outsiders: Cast) -> None:
    field = made(outsiders, uniqueFieldID="city")
    for method, path, body in (
        ("GET", f"/custom-field/{field['_id']}", None),
        ("PUT", f"/custom-field/{field['_id']}", {"name": "Mine"}),
        ("DELETE", "/custom-field", {"ids": [field["_id"]]}),
    ):
        answer = cast.key.call(method, path, body)
        assert (answer.status, answer.body["message"]) == (400, "Field not found.")
    assert cast.key.get("/custom-field/xyz").body["message"] == "Invalid format for field _id: xyz"
    assert cast.key.get("/custom-field").body["totalCount"] == SYSTEM
    assert outsiders.key.get(f"/custom-field/{field['_id']}").data == field


def test_the_permission_module_decides_on_the_session_path(db: None) -> None:
    allowed, refused = make_cast({"custom-field": {"GET": True}}), make_cast({})
    assert allowed.narrow_session.get("/custom-field").status == 200
    assert refused.narrow_session.get("/custom-field").status == 403
    assert allowed.narrow_session.post("/custom-field", {"name": "x", "fieldType": "text"}).status == 403
    assert allowed.session.post("/custom-field", {"name": "x", "fieldType": "text"}).status == 201
