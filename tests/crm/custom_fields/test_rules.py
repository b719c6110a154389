"""Required and default values of custom fields hold at every way in, for each kind of record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crm.models import Contact, Lead, ProductService
from tests.crm.contacts.helpers import add_field, form
from tests.crm.imports import helpers as imports
from tests.crm.imports import test_leads as test_lead_import
from tests.kit.cast import Answer, Cast

FIELD_KINDS: dict[str, tuple[str, Any, str]] = {
    "contact": ("/contact", Contact, "ContactDataRequired_400"),
    "lead": ("/lead", Lead, "ValidationError_400"),
    "productService": ("/product-service", ProductService, "ProductServiceDataRequired_400"),
}
IMPORTS: dict[str, tuple[Any, str, str]] = {
    "contact": (imports, imports.HEADER, "ContactDataRequired_400"),
    "lead": (test_lead_import, "Name,Email,Country code,Phone", "ValidationError_400"),
}
every_panel = pytest.mark.parametrize("panel", list(FIELD_KINDS))


def fields(cast: Cast, panel: str) -> None:
    """Create a required field, a required one of several values, and one with a default."""
    with cast.scope():
        add_field("must", panel=panel, required=True)
        add_field("some", "multi-select", "array", panel=panel, required=True, options=["a", "b"])
        add_field("usual", panel=panel, default_value="as ever")


def system(panel: str, n: int) -> dict[str, Any]:
    return {"name": f"Product {n}"} if panel == "productService" else form(n)


def customs(cast: Cast, panel: str) -> list[Any]:
    with cast.scope():
        return list(FIELD_KINDS[panel][1].objects.order_by("pk").values_list("custom", flat=True))


@every_panel
def test_one_at_a_time(cast: Cast, panel: str) -> None:
    path = FIELD_KINDS[panel][0]
    fields(cast, panel)
    whole = {"must": "x", "some": ["a"]}
    for values, named in (
        ({}, "must"),
        ({"must": "x"}, "some"),
        ({**whole, "must": None}, "must"),
        ({**whole, "some": []}, "some"),
    ):
        answer = cast.key.post(path, {"formData": {**system(panel, 1), **values}})
        assert answer.status == 400, answer.body
        assert f"{named}: is required" in answer.body["warning"]
    assert customs(cast, panel) == []
    made = cast.key.post(path, {"formData": {**system(panel, 1), **whole}}).data
    assert {key: made["formData"].get(key) for key in ("must", "some", "usual")} == {**whole, "usual": "as ever"}
    for n, empty in enumerate((None, ""), start=2):
        other = cast.key.post(path, {"formData": {**system(panel, n), **whole, "usual": empty}}).data
        assert "usual" not in other["formData"], "emptied on purpose"
    for values in ({"must": None}, {"must": ""}, {"some": []}):
        answer = cast.key.put(f"{path}/{made['_id']}", {"formData": values})
        assert (answer.status, answer.body["message"]) == (400, "The value of a field is not valid.")
    assert cast.key.put(f"{path}/{made['_id']}", {"formData": {"usual": None}}).status == 200
    assert customs(cast, panel)[0] == whole


@every_panel
def test_many_at_once(cast: Cast, panel: str) -> None:
    path = FIELD_KINDS[panel][0]
    fields(cast, panel)
    whole = {"must": "x", "some": ["a", "b"]}
    ids = [cast.key.post(path, {"formData": {**system(panel, n), **whole}}).data["_id"] for n in (1, 2)]

    def change(update_type: str, values: dict[str, Any]) -> Answer:
        return cast.key.put(path, {"ids": ids, "updateType": update_type, "formData": values})

    for update_type, values in (
        ("set", {"must": None}),
        ("set", {"some": []}),
        ("clear", {"must": ""}),
        ("clear", {"some": ""}),
        ("remove", {"some": ["a", "b"]}),
    ):
        answer = change(update_type, values)
        assert (answer.status, answer.body["message"]) == (400, "The value of a field is not valid."), (
            update_type,
            values,
        )
        reason = "keep at least one value" if update_type == "remove" else "is required"
        assert reason in answer.body["warning"]
    assert customs(cast, panel) == [{**whole, "usual": "as ever"}] * 2
    assert change("remove", {"some": ["b"]}).status == 200
    assert change("clear", {"usual": ""}).status == 200
    assert customs(cast, panel) == [{"must": "x", "some": ["a"]}] * 2


@pytest.mark.parametrize("panel", ["contact", "lead"])
def test_bulk_creation(cast: Cast, panel: str) -> None:
    path, _, name = FIELD_KINDS[panel]
    fields(cast, panel)
    whole = {"must": "x", "some": ["a"]}
    items = [{**form(1), **whole}, form(2), {**form(3), **whole, "must": ""}, {**form(4), **whole, "usual": None}]
    answer = cast.key.post(f"{path}/bulk", {"formData": items})
    assert [(failure["index"], failure["name"]) for failure in answer.data["failed"]] == [(1, name), (2, name)]
    assert customs(cast, panel) == [{**whole, "usual": "as ever"}, whole]
    assert cast.key.post(path, {"formData": {**form(5), "some": ["c"], "must": "x"}, "skipInvalid": True}).status == 400


@pytest.mark.parametrize("panel", list(IMPORTS))
def test_imports(cast: Cast, panel: str) -> None:
    module, header, name = IMPORTS[panel]
    fields(cast, panel)
    lines = [
        f"{line},{must},{some}"
        for line, must, some in zip(imports.people(3), ("x", "", "y"), ("a", "a", "c"), strict=True)
    ]
    mapping = {**imports.MAPPING, "Must": "must", "Some": "some"}
    options = {"skipInvalid": True}
    run: Callable[..., dict[str, Any]] = module.run
    if panel == "contact":
        job = run(cast, imports.csv_of(lines, f"{header},Must,Some"), columnMapping=mapping, options=options)
    else:
        job = run(cast, lines, f"{header},Must,Some", columnMapping=mapping, options=options)
    assert [(error["row"], error["column"], error["code"]) for error in job["rowErrors"] if error["row"] == 3] == [
        (3, "Must", name)
    ]
    assert (job["created"], job["failed"]) == (1, 2), "what is required cannot be left out"
    assert customs(cast, panel) == [{"must": "x", "some": ["a"], "usual": "as ever"}]
