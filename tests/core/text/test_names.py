"""Names that callers read are the contract's."""

from __future__ import annotations

import pytest
from django.db import IntegrityError

from core.api.refusals import refusal_of
from core.text.names import to_camel_case
from crm.models import CustomField
from tests.kit.cast import Cast


@pytest.mark.parametrize(
    ("inside", "shown"),
    [("field_type", "fieldType"), ("name", "name"), ("id", "_id"), ("unique_field_id", "uniqueFieldID")],
)
def test_names_are_camel_case(inside: str, shown: str) -> None:
    assert to_camel_case(inside) == shown


def test_warnings_name_fields_as_bodies_do(cast: Cast) -> None:
    [email] = [field for field in cast.key.get("/custom-field").data if field["name"] == "Email"]
    refused = cast.key.put(f"/custom-field/{email['_id']}", {"fieldType": "text", "valueType": "any"})
    assert refused.status == 400
    assert refused.body["warning"].startswith("fieldType, valueType: of this system field only ")
    assert "_" not in refused.body["warning"]


def test_duplicates_name_fields_as_bodies_do(cast: Cast) -> None:
    values = {"field_type": "text", "value_type": "string", "unique_field_id": "size"}
    with cast.scope():
        CustomField.objects.create(name="Size", **values)
        with pytest.raises(IntegrityError) as caught:
            CustomField.objects.create(name="Other", **values)
    assert refusal_of(caught.value).message == "Duplicate field(s): panel, uniqueFieldID"
