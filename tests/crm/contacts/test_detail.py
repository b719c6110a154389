"""GET and PUT /contact/:id"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, CustomFieldValue
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Caller, Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory


@pytest.fixture
def ann(cast: Cast) -> str:
    with cast.scope():
        add_field("city")
        add_field("score", "number", "number", required=True)
    return cast.key.post("/contact", {"formData": form(1, name="Ann", city="Bonn", score=3)}).data["_id"]


def test_reads_one_and_takes_list_parameters(cast: Cast, ann: str) -> None:
    answer = cast.key.get(f"/contact/{ann}", p="1", n="5", sortBy="name")
    assert (answer.status, answer.data["name"], answer.data["formData"]["city"]) == (200, "Ann", "Bonn")
    assert cast.narrow_session.get(f"/contact/{ann}").data == answer.data
    assert cast.key.get(f"/contact/{ann}", surprise="1").status == 400


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_another_companys_or_deleted_contact_looks_missing(cast: Cast, outsiders: Cast, ann: str, method: str) -> None:
    body = {"formData": {"name": "Eve"}} if method == "PUT" else None
    missing = cast.key.call(method, "/contact/65a1b2c3d4e5f60718293a4b", body)
    foreign = outsiders.key.call(method, f"/contact/{ann}", body)
    cast.key.delete("/contact", {"ids": [ann]})
    deleted = cast.key.call(method, f"/contact/{ann}", body)
    assert missing.body == foreign.body == deleted.body
    assert (missing.status, missing.body["message"]) == (400, "Contact not found.")
    malformed = cast.key.call(method, "/contact/xyz", body)
    assert (malformed.status, malformed.body["message"]) == (400, "Invalid format for field _id: xyz")
    with cast.scope():
        assert Contact.objects.get(pk=ann).name == "Ann"


def test_changes_what_is_given_and_tells_it_in_the_event(cast: Cast, ann: str) -> None:
    with cast.scope():
        one, two, category = TagFactory(name="one"), TagFactory(name="two"), ContactCategoryFactory()
    cast.key.put(f"/contact/{ann}", {"tags": [one.pk]})
    answer = cast.key.put(
        f"/contact/{ann}",
        {"formData": {"name": "Anna", "city": None, "score": 4.5}, "tags": [two.pk], "category": category.pk},
    )
    assert answer.status == 200
    assert (answer.data["name"], answer.data["email"]) == ("Anna", "ann1@example.com")
    assert answer.data["formData"]["score"] == 4.5
    assert "city" not in answer.data["formData"]
    assert [tag["_id"] for tag in answer.data["tags"]] == [two.pk]
    assert answer.data["category"]["_id"] == category.pk
    with cast.scope():
        assert list(CustomFieldValue.objects.values_list("number", flat=True)) == [4.5]
        events = list(Event.objects.filter(kind="contact.updated").order_by("sequence"))
        assert [event.object_id for event in events] == [ann, ann]
        assert events[1].payload == {
            "changes": {
                "name": {"from": "Ann", "to": "Anna"},
                "city": {"from": "Bonn", "to": None},
                "score": {"from": 3, "to": 4.5},
                "category": {"from": None, "to": category.pk},
                "tags": {"to": [two.pk]},
            }
        }


def test_null_takes_the_category_and_an_empty_list_the_tags(cast: Cast, ann: str) -> None:
    with cast.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
    cast.key.put(f"/contact/{ann}", {"tags": [tag.pk], "contactCategory": category.pk})
    answer = cast.key.put(f"/contact/{ann}", {"tags": [], "contactcategories": None})
    assert (answer.data["tags"], answer.data["category"]) == ([], None)


def test_a_change_to_nothing_new_writes_nothing(cast: Cast, ann: str) -> None:
    before = cast.key.get(f"/contact/{ann}").data
    assert cast.key.put(f"/contact/{ann}", {"formData": {"name": "Ann", "city": "Bonn"}}).data == before
    assert cast.key.put(f"/contact/{ann}", {}).data == before
    with cast.scope():
        assert not Event.objects.filter(kind="contact.updated").exists()


def test_the_unique_key_may_move_but_not_be_emptied_or_taken(cast: Cast, ann: str) -> None:
    bob = cast.key.post("/contact", {"formData": form(2, score=1)}).data["_id"]
    moved = cast.key.put(f"/contact/{ann}", {"formData": {"email": "anna@Example.org", "number": "0171 2222222"}})
    assert (moved.data["email"], moved.data["contactNumber"]) == ("anna@example.org", "+491712222222")
    with cast.scope():
        contact = Contact.objects.get(pk=ann)
        assert (contact.email_key, contact.number_key) == ("anna@example.org", "+491712222222")
    taken = cast.key.put(f"/contact/{ann}", {"formData": {"email": "Ann2@example.com"}})
    assert (taken.status, taken.body["message"]) == (400, "This contact already exists.")
    assert bob in taken.body["warning"]
    setting = cast.key.put(f"/contact/{ann}", {"contactUniqueKey": "email"})
    assert (setting.status, setting.body["message"]) == (
        400,
        "You can't change a record's unique values here.",
    )
    assert "unique (PUT /settings)" in setting.body["warning"]
    for values in ({"email": None}, {"email": ""}, {"number": ""}, {"countryCode": None}):
        refused = cast.key.put(f"/contact/{ann}", {"formData": values})
        assert (refused.status, refused.body["message"]) == (
            400,
            "You can't change a record's unique values here.",
        ), values
    assert cast.key.get(f"/contact/{ann}").data == moved.data


def test_prefix_and_number_may_come_alone(cast: Cast, ann: str) -> None:
    for values, expected in (
        ({"number": "1713333333"}, "+491713333333"),
        ({"countryCode": "44", "number": "7911123456"}, "+447911123456"),
        ({"countryCode": "+33"}, None),
        ({"countryCode": "+1", "number": "2025550123"}, "+12025550123"),
        ({"countryCode": "+49"}, "+492025550123"),
        ({"number": "+49 170 7654321"}, "+491707654321"),
    ):
        answer = cast.key.put(f"/contact/{ann}", {"formData": values})
        if expected is None:
            assert (answer.status, answer.body["message"]) == (400, "The value of a system field is not valid.")
        else:
            assert (answer.status, answer.data["contactNumber"]) == (200, expected)


@pytest.mark.parametrize("path", ["key", "session"])
@pytest.mark.parametrize("prefix", [None, "", "\u200b"])
def test_a_prefix_is_not_cleared_without_its_number(cast: Cast, ann: str, path: str, prefix: str | None) -> None:
    assert cast.key.put("/settings", {"contactUniqueKey": "email"}).status == 200
    caller: Caller = getattr(cast, path)
    before = caller.get(f"/contact/{ann}").data
    refused = caller.put(f"/contact/{ann}", {"formData": {"countryCode": prefix}})
    assert (refused.status, refused.body["errors"][0]["field"]) == (400, "countryCode")
    assert caller.get(f"/contact/{ann}").data == before


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"formData": {"planet": "Mars"}}, "Field not found in your company."),
        ({"formData": {"score": "x"}}, "The value of a field is not valid."),
        ({"formData": {"score": None}}, "The value of a field is not valid."),
        ({"formData": {"email": "x"}}, "The value of a system field is not valid."),
        ({"tags": ["65a1b2c3d4e5f60718293a4b"]}, "Tag not found."),
        ({"category": "65a1b2c3d4e5f60718293a4b"}, "Category not found."),
        ({"formData": []}, "Invalid format for field formData: []"),
        ({"surprise": 1}, None),
    ],
)
def test_refusals_change_nothing(cast: Cast, ann: str, body: dict[str, Any], message: str | None) -> None:
    before = cast.key.get(f"/contact/{ann}").data
    answer = cast.key.put(f"/contact/{ann}", body)
    assert answer.status == 400
    if message:
        assert answer.body["message"] == message
    assert cast.key.get(f"/contact/{ann}").data == before


def test_labels_of_another_company_are_unknown(cast: Cast, outsiders: Cast, ann: str) -> None:
    with outsiders.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
    assert cast.key.put(f"/contact/{ann}", {"tags": [tag.pk]}).body["message"] == "Tag not found."
    assert cast.key.put(f"/contact/{ann}", {"category": category.pk}).body["message"] == "Category not found."


def test_the_narrow_role_may_not_change(cast: Cast, ann: str) -> None:
    assert cast.narrow_session.put(f"/contact/{ann}", {"formData": {"name": "Eve"}}).status == 403
    assert cast.session.put(f"/contact/{ann}", {"formData": {"name": "Eve"}}).data["name"] == "Eve"
