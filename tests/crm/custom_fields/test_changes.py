"""PUT /custom-field/:id where records have values of the field, PUT /custom-field/modify, /reorder and /reset-
system."""

from __future__ import annotations

from typing import Any

import pytest

from crm.custom_fields.system_fields import SYSTEM_FIELDS
from crm.models import BulkJob, Contact, ConvertedValue, CustomField, CustomFieldValue, Lead
from tests.crm.contacts.helpers import form
from tests.crm.leads.helpers import make as make_lead
from tests.kit.cast import Cast, make_cast

BAD_VALUE, BAD_INPUT, BAD_SYSTEM = (
    "The value of a field is not valid.",
    "Some values are missing or wrong.",
    "The value of a system field is not valid.",
)
NO_FIELD, NO_PANEL, TAKEN = (
    "Field not found.",
    "Fields belong to contacts, leads or products.",
    "A field with this name already exists.",
)


def made(cast: Cast, key: str = "score", field_type: str = "text", **values: Any) -> str:
    answer = cast.key.post("/custom-field", {"name": key, "fieldType": field_type, "uniqueFieldID": key, **values})
    assert answer.status == 201, answer.body
    return str(answer.data["_id"])


def contacts(cast: Cast, *values: Any, key: str = "score") -> None:
    items = [form(n, **{key: value}) for n, value in enumerate(values)]
    answer = cast.key.post("/contact/bulk", {"formData": items})
    assert len(answer.data["created"]) == len(values), answer.body


def held(cast: Cast) -> tuple[list[Any], list[Any]]:
    """Return the custom values of all contacts, and the typed ones."""
    with cast.scope():
        rows = CustomFieldValue.objects.order_by("contact__email", "position").values_list("text", "number", "time")
        return list(Contact.objects.order_by("email").values_list("custom", flat=True)), [
            next(v for v in row if v is not None) for row in rows
        ]


def refused(cast: Cast, path: str, body: Any, message: str, warning: str = "") -> None:
    answer = cast.key.put(path, body)
    assert (answer.status, answer.body["message"]) == (400, message), answer.body
    assert warning in answer.body["warning"]


def test_a_new_type_converts_what_records_have(cast: Cast, outsiders: Cast) -> None:
    id = made(cast)
    made(outsiders)
    contacts(cast, "1", "2.50", " 3 ")
    contacts(outsiders, "1")
    changed = cast.key.put(f"/custom-field/{id}", {"fieldType": "number", "valueType": "number"})
    assert (changed.status, changed.data["fieldType"], changed.data["valueType"], changed.data["job"]) == (
        200,
        "number",
        "number",
        None,
    )
    assert held(cast) == ([{"score": 1}, {"score": 2.5}, {"score": 3}], [1, 2.5, 3])
    assert held(outsiders) == ([{"score": "1"}], ["1"])
    found = cast.key.get(
        "/contact", advancedFilters={"conditions": [{"field": "score", "operator": "greaterThan", "value": 2}]}
    )
    assert found.body["totalCount"] == 2
    with cast.scope():
        job = BulkJob.objects.get(action="convert_field")
        assert (job.action, job.status, job.total, job.processed, job.changed, job.failed) == (
            "convert_field",
            "completed",
            3,
            3,
            3,
            0,
        )
        assert not ConvertedValue.objects.exists()
    back = cast.key.put(f"/custom-field/{id}", {"fieldType": "text", "valueType": "string"})
    assert back.data["valueType"] == "string"
    assert held(cast) == ([{"score": "1"}, {"score": "2.5"}, {"score": "3"}], ["1", "2.5", "3"])


def test_values_that_do_not_fit_are_in_the_way_unless_they_may_go(cast: Cast) -> None:
    id = made(cast)
    contacts(cast, "1", "ten", "ten", "x")
    path, body = f"/custom-field/{id}", {"fieldType": "number", "valueType": "number"}
    answer = cast.key.put(path, {**body, "name": "Points"})
    assert (answer.status, answer.body["message"]) == (400, BAD_VALUE)
    assert "score: 3 of 4 contacts with a value have one that does not fit" in answer.body["warning"]
    assert '"ten": ten is not a number' in answer.body["warning"]
    assert "dropInvalid" in answer.body["warning"]
    assert cast.key.get(path).data["name"] == "score"
    assert held(cast)[0] == [{"score": "1"}, {"score": "ten"}, {"score": "ten"}, {"score": "x"}]
    dropped = cast.key.put(path, {**body, "dropInvalid": True, "name": "Points"})
    assert (dropped.status, dropped.data["name"], dropped.data["valueType"]) == (200, "Points", "number")
    assert held(cast) == ([{"score": 1}, {}, {}, {}], [1])
    with cast.scope():
        job = BulkJob.objects.get(action="convert_field")
        assert (job.total, job.changed, job.failed) == (4, 4, 3)
    for bad in ("yes", 1, None):
        assert cast.key.put(path, {"dropInvalid": bad}).status == 400


def test_types_that_have_nothing_in_common(cast: Cast) -> None:
    id = made(cast, "since", "date")
    path, body = f"/custom-field/{id}", {"fieldType": "number", "valueType": "number", "dropInvalid": True}
    contacts(cast, "2026-01-31", key="since")
    refused(cast, path, {**body, "dropInvalid": False}, BAD_INPUT, "no date can become a number")
    assert cast.key.put(path, body).data["valueType"] == "number"
    assert held(cast) == ([{}], [])


def test_deleted_records_are_converted_too(cast: Cast) -> None:
    id = made(cast)
    contacts(cast, "1")
    assert cast.key.delete("/contact", {"selectAll": True}).status == 200
    assert cast.key.put(f"/custom-field/{id}", {"fieldType": "number", "valueType": "number"}).status == 200
    assert held(cast) == ([{"score": 1}], [1])


def test_options_and_children_that_values_need_stay_too(cast: Cast) -> None:
    id = made(
        cast,
        "size",
        "select",
        options=[{"label": "Small", "value": "s"}, {"label": "Large", "value": "l"}],
        defaultValue="l",
    )
    contacts(cast, "s", "l", key="size")
    path = f"/custom-field/{id}"
    big = {"label": "Big", "value": "l"}
    assert cast.key.put(path, {"options": [{"label": "XL"}, big, {"label": "Small", "value": "s"}]}).status == 200
    refused(cast, path, {"options": [big]}, BAD_VALUE, "1 of 2 contacts")
    refused(
        cast,
        path,
        {"options": [{"label": "Small", "value": "s"}]},
        BAD_INPUT,
        "defaultValue: l is not an option. Choose one of these: Small (s).",
    )
    dropped = cast.key.put(path, {"options": [big], "dropInvalid": True})
    assert [one["value"] for one in dropped.data["options"]] == ["l"]
    assert held(cast) == ([{}, {"size": "l"}], ["l"])
    lines = made(
        cast, "lines", "text", valueType="array", children=[{"name": "sku", "fieldType": "text", "valueType": "string"}]
    )
    assert cast.key.post("/contact", {"formData": form(9, size="l", lines=[{"sku": "a"}])}).status == 200
    number = {"name": "sku", "fieldType": "number", "valueType": "number"}
    refused(cast, f"/custom-field/{lines}", {"children": [number]}, BAD_VALUE, "item 0: sku: ")


def test_a_default_names_records_that_there_are(cast: Cast, outsiders: Cast) -> None:
    body = {"name": "Seller", "fieldType": "select", "valueType": "member"}
    for id in (outsiders.owner.pk, "f" * 24):
        answer = cast.key.post("/custom-field", {**body, "defaultValue": id})
        assert answer.body["warning"] == "defaultValue: choose another value; this member does not exist"
    field = cast.key.post("/custom-field", {**body, "uniqueFieldID": "seller", "defaultValue": cast.owner.pk})
    assert field.data["defaultValue"] == cast.owner.pk
    assert cast.key.post("/contact", {"formData": form(1)}).data["formData"]["seller"] == cast.owner.pk


# Lead status and source


def status_field(cast: Cast, key: str = "status") -> dict[str, Any]:
    fields = cast.key.get("/custom-field", filters={"panel": "lead", "uniqueFieldID": key}).data
    return dict(fields[0])


def test_the_statuses_of_leads_are_the_companys_own(cast: Cast) -> None:
    field = status_field(cast)
    path, options = f"/custom-field/{field['_id']}", field["options"]
    demo = {"label": "Demo", "value": "demo"}
    changed = cast.key.put(
        path, {"options": [options[-1], demo, *({**one, "label": one["label"].upper()} for one in options[:-1])]}
    )
    assert [one["label"] for one in changed.data["options"]][:3] == ["Lost", "Demo", "NEW"]
    lead = make_lead(cast, formData={"status": "demo"})
    gone = make_lead(cast, 2, formData={"status": "proposal"})
    assert cast.key.delete("/lead", {"ids": [gone["_id"]]}).status == 200
    refused(cast, path, {"options": options}, BAD_SYSTEM, "1 with 'demo'")
    refused(cast, "/custom-field/reset-system", {"panel": "lead"}, BAD_SYSTEM, "1 with 'demo'")
    assert cast.key.put(f"/lead/{lead['_id']}", {"formData": {"status": "won"}}).status == 200
    assert cast.key.put(path, {"options": [one for one in options if one["value"] != "proposal"]}).status == 200
    refused(cast, path, {"options": []}, BAD_INPUT)
    refused(cast, path, {"options": [{"label": "x" * 101}, *options]}, BAD_INPUT, "enter at most 100 characters")
    refused(cast, path, {"options": options[1:]}, BAD_INPUT, "not an option. Choose one of these: ")
    assert cast.key.put(path, {"options": options[1:], "defaultValue": "contacted"}).data["defaultValue"] == "contacted"
    assert make_lead(cast, 3)["status"] == "contacted"
    refused(cast, path, {"fieldType": "text"}, BAD_SYSTEM)
    source = status_field(cast, "source")
    assert (
        cast.key.put(f"/custom-field/{source['_id']}", {"options": [{"label": "Fair"}]}).data["options"][0]["value"]
        == "Fair"
    )


def test_what_stands_in_a_column_has_fixed_options(cast: Cast) -> None:
    kind = cast.key.get("/custom-field", filters={"panel": "productService", "uniqueFieldID": "type"}).data[0]
    refused(cast, f"/custom-field/{kind['_id']}", {"options": [{"label": "Rental"}]}, BAD_SYSTEM, "options")


# /custom-field/modify


def test_many_fields_change_together(cast: Cast) -> None:
    first, second = made(cast, "first"), made(cast, "second", "select", options=[{"label": "A"}])
    contacts(cast, "5", key="first")
    fields = [
        {"_id": first, "fieldType": "number", "valueType": "number", "name": "second"},
        {"_id": second, "name": "first", "hide": True},
    ]
    answer = cast.key.put("/custom-field/modify", {"fields": fields})
    assert (answer.status, answer.body["message"]) == (200, "Fields updated.")
    assert [(one["_id"], one["name"], one["valueType"], one["hide"]) for one in answer.data["fields"]] == [
        (first, "second", "number", False),
        (second, "first", "string", True),
    ]
    assert held(cast) == ([{"first": 5}], [5])


def test_one_change_that_is_wrong_refuses_all(cast: Cast, outsiders: Cast) -> None:
    first, second, other = made(cast, "first"), made(cast, "second"), made(outsiders)
    contacts(cast, "five", key="second")
    fields = [
        {"_id": first, "name": "Changed"},
        {"_id": second, "fieldType": "number", "valueType": "number"},
        {"_id": other, "name": "Mine"},
        {"_id": first, "fieldType": "number", "valueType": "string"},
    ]
    answer = cast.key.put("/custom-field/modify", {"fields": fields})
    assert (answer.status, answer.body["message"]) == (400, BAD_VALUE)
    warning = answer.body["warning"]
    assert warning.startswith("fields.1.second: 1 of 1 contacts")
    assert "fields.2._id: there is no such custom field" in warning
    assert "fields.3.valueType: a field of type number holds number, not string" in warning
    assert cast.key.get(f"/custom-field/{first}").data["name"] == "first"
    refused(cast, "/custom-field/modify", {"fields": [{"_id": first, "name": "second"}]}, TAKEN, "fields.0.name")
    refused(
        cast,
        "/custom-field/modify",
        {"fields": [{"_id": first}, {"_id": first, "name": "x"}]},
        BAD_INPUT,
        "fields.1._id",
    )
    for body in (
        {},
        {"fields": []},
        {"fields": [{}]},
        {"fields": [{"_id": first, "colour": 1}]},
        {"fields": {"_id": first}},
        [{"_id": first}],
    ):
        assert cast.key.put("/custom-field/modify", body).status == 400
    bad = cast.key.put("/custom-field/modify", {"fields": [{"_id": first}, {"_id": first, "order": "x"}]})
    assert bad.body["message"].startswith("Invalid format for field fields.1.order")


# /custom-field/reorder


def test_fields_stand_in_an_order(cast: Cast, outsiders: Cast) -> None:
    first, second, other = made(cast, "first"), made(cast, "second"), made(outsiders)
    lead = made(cast, "lead", panel="lead")
    names = [one["unique_field_id"] for one in SYSTEM_FIELDS["contact"]]
    answer = cast.key.put("/custom-field/reorder", {"ids": [second, first]})
    assert [(one["uniqueFieldID"], one["order"]) for one in answer.data["fields"]] == [
        (name, place) for place, name in enumerate(["second", "first", *names], start=1)
    ]
    listed = cast.key.get("/custom-field", sortBy="order", sortOrder="asc", filters={"panel": "contact"})
    assert [one["_id"] for one in listed.data] == [one["_id"] for one in answer.data["fields"]]
    refused(cast, "/custom-field/reorder", {"ids": [first, lead]}, NO_PANEL)
    refused(cast, "/custom-field/reorder", {"ids": [first, other]}, NO_FIELD, other)
    refused(cast, "/custom-field/reorder", {"ids": []}, BAD_INPUT)
    assert cast.key.put("/custom-field/reorder", {"ids": ["x"]}).status == 400
    assert cast.key.put("/custom-field/reorder", {"ids": [first], "panel": "contact"}).status == 400


# /custom-field/reset-system


@pytest.mark.parametrize("panel", [None, *SYSTEM_FIELDS])
def test_system_fields_become_what_they_were(cast: Cast, panel: str | None) -> None:
    with cast.scope():
        before = list(CustomField.objects.order_by("id").values(*RESTORED))
    swap = {}
    for one in cast.key.get("/custom-field").data:
        swap.setdefault(one["panel"], []).append(one)
    fields = [
        {
            "_id": a["_id"],
            "name": b["name"],
            "required": not a["required"],
            "order": 9,
            "hide": True,
            "helper": "h",
            "placeholder": "p",
        }
        for a, b in ((a, b) for own in swap.values() for a, b in zip(own, own[1:] + own[:1], strict=True))
    ]
    assert cast.key.put("/custom-field/modify", {"fields": fields}).status == 200
    answer = cast.key.put("/custom-field/reset-system", {"panel": panel} if panel else {})
    reset = [name for name in SYSTEM_FIELDS if panel in (None, name)]
    assert [one["uniqueFieldID"] for one in answer.data["fields"]] == [
        one["unique_field_id"] for name in reset for one in SYSTEM_FIELDS[name]
    ]
    with cast.scope():
        after = list(CustomField.objects.order_by("id").values(*RESTORED))
    assert [one for one in after if one["panel"] in reset] == [one for one in before if one["panel"] in reset]
    assert all(one not in before for one in after if one["panel"] not in reset)


RESTORED = (
    "id",
    "panel",
    "name",
    "required",
    "order",
    "hide",
    "helper",
    "placeholder",
    "options",
    "default_value",
    "section",
)


def test_a_reset_makes_what_is_missing_and_says_what_is_in_its_way(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        CustomField.objects.filter(unique_field_id="source").delete()
    assert len(cast.key.put("/custom-field/reset-system", {}).data["fields"]) == sum(map(len, SYSTEM_FIELDS.values()))
    field = status_field(cast)
    cast.key.put(f"/custom-field/{field['_id']}", {"name": "Stage"})
    made(cast, "own", panel="lead", name="Status")
    refused(cast, "/custom-field/reset-system", {}, TAKEN, "'Status'")
    refused(cast, "/custom-field/reset-system", {"panel": "planet"}, NO_PANEL)
    assert status_field(cast)["name"] == "Stage"
    assert cast.key.put("/custom-field/reset-system", {"panel": 5}).status == 400
    assert cast.key.put("/custom-field/reset-system", {"all": True}).status == 400
    assert status_field(outsiders)["name"] == "Status"
    with cast.scope():
        assert Lead.objects.count() == 0


def test_who_may_change_many(db: None) -> None:
    allowed, refusing = (
        make_cast({"custom-field": {"PUT": True}}),
        make_cast({"custom-field": {"GET": True, "POST": True}}),
    )
    for path, body in (("modify", {"fields": []}), ("reorder", {"ids": []}), ("reset-system", {"panel": "planet"})):
        assert allowed.narrow_session.put(f"/custom-field/{path}", body).status == 400
        assert refusing.narrow_session.put(f"/custom-field/{path}", body).status == 403
