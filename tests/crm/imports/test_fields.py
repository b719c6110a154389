"""Custom fields that are made for columns of an import (POST /contact/import/:id/fields)."""

from __future__ import annotations

from crm.models import CustomField
from tests.crm.imports import helpers
from tests.kit.cast import Cast


def test_a_taken_name_that_was_given_is_refused(scope: Cast) -> None:
    """A name that another field of a different type or column has; the column's own name gets a number."""
    values = {"name": "Plan", "fieldType": "number", "panel": "contact"}
    assert scope.key.post("/custom-field", values).status == 201
    made = helpers.make(scope, helpers.csv_of(["Ada,ada@fern.example,gold"], "Name,Email,Level"), columnMapping={})
    path = f"/contact/import/{made['_id']}/fields"
    for name in ("Plan", "pLAN", "Email"):
        refused = scope.key.post(path, {"columns": [{"column": "Level", "name": name, "fieldType": "text"}]})
        assert (refused.status, refused.body["message"]) == (400, "A field with this name already exists.")
        assert f"'{name}'" in refused.body["warning"]
        assert "'Level'" in refused.body["warning"]
    assert CustomField.objects.filter(is_system=False).count() == 1
    given = scope.key.post(path, {"columns": [{"column": "Level", "name": "Tier", "fieldType": "text"}]})
    assert given.data["columnMapping"]["Level"] == CustomField.objects.get(name="Tier").unique_field_id


def test_the_columns_own_name_gets_a_number(scope: Cast) -> None:
    scope.key.post("/custom-field", {"name": "Plan", "fieldType": "number", "panel": "contact"})
    made = helpers.make(scope, helpers.csv_of(["Ada,ada@fern.example,gold"], "Name,Email,Plan"), columnMapping={})
    named = scope.key.post(f"/contact/import/{made['_id']}/fields", {"columns": [{"column": "Plan"}]})
    assert named.data["columnMapping"]["Plan"] == CustomField.objects.get(name="Plan 2").unique_field_id
