"""The text field of a contact's company follows the organization that a request chooses."""

from __future__ import annotations

import pytest

from tests.crm.contacts.helpers import add_field, form
from tests.crm.organizations.helpers import organization
from tests.kit.cast import Caller, Cast


@pytest.fixture(params=["key", "session"])
def caller(cast: Cast, request: pytest.FixtureRequest) -> Caller:
    with cast.scope():
        add_field("company")
    made: Caller = getattr(cast, request.param)
    return made


def texts(caller: Caller, *ids: str) -> list[str | None]:
    return [caller.get(f"/contact/{id}").data["formData"].get("company") for id in ids]


def test_a_chosen_organization_sets_the_text(cast: Cast, caller: Caller) -> None:
    acme, beta = (organization(cast, name)["_id"] for name in ("Acme Ltd", "Beta"))
    first = caller.post("/contact", {"formData": form(1), "organization": acme}).data["_id"]
    own = caller.post("/contact", {"formData": {**form(2), "company": "Acme UK"}, "organization": acme}).data["_id"]
    many = {"formData": [form(3), {**form(4), "organization": beta}, form(5) | {"company": "C"}], "organization": acme}
    made = [row["_id"] for row in caller.post("/contact/bulk", many).data["created"]]
    assert texts(caller, first, own, *made) == ["Acme Ltd", "Acme UK", "Acme Ltd", "Beta", "C"]
    caller.put(f"/contact/{first}", {"organization": beta})
    caller.put(f"/contact/{own}", {"organization": beta, "formData": {"company": "Beta UK"}})
    assert texts(caller, first, own) == ["Beta", "Beta UK"]
    assert caller.put("/contact", {"ids": made, "organization": beta}).data["updatedCount"] == 2
    assert texts(caller, *made) == ["Beta", "Beta", "Beta"]


def test_a_removed_organization_empties_the_text_and_a_text_alone_stays(cast: Cast, caller: Caller) -> None:
    acme = organization(cast, "Acme Ltd")["_id"]
    ids = [caller.post("/contact", {"formData": form(n), "organization": acme}).data["_id"] for n in range(3)]
    caller.put(f"/contact/{ids[0]}", {"organization": None})
    caller.put("/contact", {"ids": [ids[1]], "updateType": "clear", "organization": None})
    changed = caller.put(f"/contact/{ids[2]}", {"formData": {"company": "Other"}}).data
    assert texts(caller, *ids) == [None, None, "Other"]
    assert changed["organization"]["_id"] == acme


def test_a_company_without_the_field_has_no_text(cast: Cast) -> None:
    acme = organization(cast, "Acme Ltd")["_id"]
    made = cast.key.post("/contact", {"formData": form(1), "organization": acme})
    assert (made.status, "company" in made.data["formData"]) == (200, False)
