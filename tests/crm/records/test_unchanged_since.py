"""PUT /contact/:id and /lead/:id with unchangedSince."""

from __future__ import annotations

import pytest

from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory


@pytest.mark.parametrize(("kind", "value"), [("contact", {"name": "Ann"}), ("lead", {"value": 7})])
def test_a_record_that_has_changed_since_stays_as_it_is(cast: Cast, kind: str, value: dict[str, object]) -> None:
    with cast.scope():
        path = f"/{kind}/{(ContactFactory if kind == 'contact' else LeadFactory)().pk}"
    seen = cast.key.get(path).data["updatedAt"]
    first = cast.key.put(path, {"formData": value, "unchangedSince": seen})
    assert first.status == 200, first.body
    late = cast.key.put(path, {"formData": {**value, "name": "Late"}, "unchangedSince": seen})
    assert (late.status, late.body["message"]) == (409, "The record has changed in the meantime. Reload the page.")
    now = cast.key.get(path).data
    assert {**now["formData"], **value} == now["formData"]
    same = now["updatedAt"].replace("Z", "000+00:00")  # as a program writes the time that it has read
    assert cast.key.put(path, {"formData": value, "unchangedSince": same}).status == 200
    for wrong in ("x", "2026-01-31T09:00:00"):
        refused = cast.key.put(path, {"formData": value, "unchangedSince": wrong})
        assert refused.status == 400
        assert refused.body["message"] == f"Invalid format for field unchangedSince: {wrong}"
    assert cast.key.put(path, {"formData": value}).status == 200
