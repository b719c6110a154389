"""The people that segments select."""

from __future__ import annotations

import pytest

from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import make
from tests.kit.cast import Cast


@pytest.fixture
def people(cast: Cast) -> dict[str, str]:
    """Three contacts, two of them with a lead: name -> _id, and the leads' as lead 1 and lead 2."""
    with cast.scope():
        add_field("city")
        add_field("score", "number", "number")
    found: dict[str, str] = {}
    for n, (name, values) in enumerate(
        {"Ann": {"city": "Bonn", "score": 1}, "Bob": {"city": "Bonn"}, "Cid": {"score": 3}}.items(), 1
    ):
        answer = cast.key.post("/contact", {"formData": form(n, name=name, **values)})
        assert answer.status == 200, answer.body
        found[name] = answer.data["_id"]
    for n, status in ((1, "new"), (2, "won")):
        found[f"lead {n}"] = make(cast, n, formData={"status": status, "name": "Ann" if n == 1 else "Bob"})["_id"]
    return found
