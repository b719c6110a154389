"""POST /contact"""

from __future__ import annotations

from typing import Any

import pytest

from core.models import Event
from crm.models import Contact, CustomField, CustomFieldValue
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast, make_cast
from tests.kit.factories import ContactCategoryFactory, TagFactory
from tests.kit.plans import allow


def test_creates_a_contact_with_all_it_has(cast: Cast) -> None:
    with cast.scope():
        tag, category = TagFactory(name="VIP"), ContactCategoryFactory(name="Customer")
        add_field("city")
    answer = cast.key.post(
        "/contact", {"formData": form(1, name="Ann Bee", city="Bonn"), "tags": [tag.pk], "category": category.pk}
    )
    assert answer.status == 200
    assert answer.body["status"] == "success"
    found = answer.data
    assert found["name"] == "Ann Bee"
    assert found["email"] == "ann1@example.com"
    assert (found["countryCode"], found["number"], found["contactNumber"]) == ("+49", "1701000001", "+491701000001")
    assert found["category"] == {"_id": category.pk, "name": "Customer"}
    assert found["tags"] == [{"_id": tag.pk, "name": "VIP"}]
    assert found["formData"] == {
        "name": "Ann Bee",
        "email": "ann1@example.com",
        "countryCode": "+49",
        "number": "1701000001",
        "city": "Bonn",
    }
    assert found["createdBy"] == {"_id": cast.owner.pk, "name": cast.owner.name, "email": cast.owner.email}
    assert found["updatedBy"] == found["createdBy"]
    assert (found["isDeleted"], found["unsubscribed"], found["unsubscribedAt"], found["importId"]) == (
        False,
        False,
        None,
        None,
    )
    with cast.scope():
        contact = Contact.objects.get(pk=found["_id"])
        assert contact.created_by_id == cast.owner.pk
        event = Event.objects.get(kind="contact.created")
        assert (event.object_id, event.actor_id, event.automation) == (contact.pk, cast.owner.pk, True)


def test_the_session_path_creates_too_and_a_narrow_role_does_not(cast: Cast) -> None:
    assert cast.session.post("/contact", {"formData": form(1)}).status == 200
    refused = cast.narrow_session.post("/contact", {"formData": form(2)})
    assert refused.status == 403
    assert refused.body["warning"] == "your role lacks the permission contact.POST"
    with cast.scope():
        assert Contact.objects.count() == 1


@pytest.mark.parametrize("alias", ["category", "contactCategory", "contactcategories"])
def test_the_category_has_three_names(cast: Cast, alias: str) -> None:
    with cast.scope():
        category = ContactCategoryFactory()
    assert cast.key.post("/contact", {"formData": form(1), alias: category.pk}).data["category"]["_id"] == category.pk


@pytest.mark.parametrize(
    ("values", "name", "warning"),
    [
        ({}, "ContactDataRequired_400", "email: is required; countryCode: is required; number: is required"),
        ({"email": "ann@example.com"}, "ContactDataRequired_400", "countryCode: is required; number: is required"),
        (form(1, email=" "), "ContactDataRequired_400", "email: is required"),
        (form(1, planet="Mars"), "InvalidCustomField_400", "planet: there is no such field"),
        (form(1, contactNumber="+491"), "InvalidCustomField_400", "contactNumber: there is no such field"),
        (
            form(1, score="many"),
            "InvalidCustomFieldValue_400",
            "score: many is not a number. Enter a number, for example 1200.",
        ),
        (form(1, email="ann"), "InvalidSystemField_400", "email: “ann” is not an email address"),
        (form(1, email=7), "InvalidSystemField_400", "email: needs an email address as text"),
        (
            form(1, number="abc"),
            "InvalidSystemField_400",
            "number: “abc” is not a phone number. Write one such as +49 170 1234567.",
        ),
        (
            form(1, countryCode="+999"),
            "InvalidSystemField_400",
            "countryCode: “+999” is not a country code. Enter one, for example +49.",
        ),
        (form(1, name=["x"]), "InvalidSystemField_400", "name: enter a text, not an array"),
        (form(1, name="x" * 301), "InvalidSystemField_400", "name: is 301 characters long. Enter at most 300."),
    ],
)
def test_refuses_by_name_and_says_which_value(cast: Cast, values: dict[str, Any], name: str, warning: str) -> None:
    from core.messages.defaults import DEFAULTS

    with cast.scope():
        add_field("score", "number", "number")
    answer = cast.key.post("/contact", {"formData": values})
    assert (answer.status, answer.body["message"]) == (400, DEFAULTS[name][1])
    assert answer.body["warning"].startswith(warning)
    with cast.scope():
        assert not Contact.objects.exists()
        assert not Event.objects.exists()


def test_required_custom_fields_and_defaults(cast: Cast) -> None:
    with cast.scope():
        add_field("city", required=True)
        add_field("source", default_value="web")
    refused = cast.key.post("/contact", {"formData": form(1)})
    assert (refused.status, refused.body["warning"]) == (400, "city: is required")
    made = cast.key.post("/contact", {"formData": form(1, city="Bonn")})
    assert made.data["formData"]["source"] == "web"
    with cast.scope():
        assert sorted(CustomFieldValue.objects.values_list("text", flat=True)) == ["Bonn", "web"]
    emptied = cast.key.post("/contact", {"formData": form(2, city="Bonn", source=None)})
    assert "source" not in emptied.data["formData"]


@pytest.mark.parametrize("option", ["dropInvalidValues", "skipInvalid"])
def test_invalid_values_are_left_out_and_named(cast: Cast, option: str) -> None:
    with cast.scope():
        add_field("score", "number", "number")
        add_field("city")
    answer = cast.key.post("/contact", {"formData": form(1, score="x", city="Bonn", planet="Mars"), option: True})
    assert answer.status == 200
    assert (
        answer.body["warning"]
        == "left out: score: x is not a number. Enter a number, for example 1200; planet: there is no such field"
    )
    assert {key: value for key, value in answer.data["formData"].items() if key in ("city", "score", "planet")} == {
        "city": "Bonn"
    }
    refused = cast.key.post("/contact", {"formData": form(2, email="bad"), option: True})
    assert (refused.status, refused.body["message"]) == (400, "The value of a system field is not valid.")


def test_a_taken_unique_key_is_refused_with_the_value(cast: Cast) -> None:
    first = cast.key.post("/contact", {"formData": form(1)}).data["_id"]
    for values, part, value, people in (
        (form(2, email="ANN1@EXAMPLE.COM"), "email", "ANN1@example.com", ""),
        (form(2, number="0170 1000001"), "number", "+491701000001", ": ann1@example.com, not ann2@example.com"),
    ):
        answer = cast.key.post("/contact", {"formData": values})
        assert (answer.status, answer.body["warning"]) == (
            400,
            f"{part}: {value} belongs to the contact {first} already{people}",
        )
    with cast.scope():
        assert Contact.objects.count() == 1


def test_existing_error_off_updates_the_one_that_exists(cast: Cast) -> None:
    with cast.scope():
        tag = TagFactory()
        add_field("city")
    first = cast.key.post("/contact", {"formData": form(1, name="Ann", city="Bonn")}).data["_id"]
    answer = cast.key.post("/contact", {"formData": form(1, city="Ulm"), "tags": [tag.pk], "existingError": False})
    assert (answer.status, answer.body["message"]) == (200, "Contact updated.")
    assert answer.data["_id"] == first
    assert (answer.data["name"], answer.data["formData"]["city"]) == ("Ann", "Ulm")
    assert [found["_id"] for found in answer.data["tags"]] == [tag.pk]
    with cast.scope():
        assert Contact.objects.count() == 1
        event = Event.objects.get(kind="contact.updated")
        assert event.payload == {"changes": {"city": {"from": "Bonn", "to": "Ulm"}, "tags": {"added": [tag.pk]}}}
    made = cast.key.post("/contact", {"formData": form(2), "existingError": False})
    assert (made.status, made.body["message"]) == (200, "Contact created.")


def test_a_deleted_contact_does_not_hold_its_key(cast: Cast) -> None:
    first = cast.key.post("/contact", {"formData": form(1)}).data["_id"]
    cast.key.delete("/contact", {"ids": [first]})
    assert cast.key.post("/contact", {"formData": form(1)}).data["_id"] != first


def test_labels_of_another_company_are_unknown(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        tag, category = TagFactory(), ContactCategoryFactory()
        foreign = CustomField.objects.create(name="x", unique_field_id="x", field_type="text", value_type="string")
    for body, message in (
        ({"tags": [tag.pk]}, "Tag not found."),
        ({"category": category.pk}, "Category not found."),
        ({"formData": form(1, x="1")}, "Field not found in your company."),
        ({"formData": form(1, **{foreign.pk: "1"})}, "Field not found in your company."),
    ):
        answer = cast.key.post("/contact", {"formData": form(1), **body})
        assert (answer.status, answer.body["message"]) == (400, message)
    with cast.scope():
        assert not Contact.objects.exists()
    assert cast.key.post("/contact", {"formData": form(1)}).status == 200
    assert outsiders.key.post("/contact", {"formData": form(1)}).status == 200


@pytest.mark.parametrize(
    "body",
    [
        [],
        "x",
        {"formData": []},
        {"formData": "x"},
        {"formData": {}, "unknown": 1},
        {"formData": form(1), "tags": "x"},
        {"formData": form(1), "tags": ["x"]},
        {"formData": form(1), "category": "x"},
        {"formData": form(1), "existingError": "no"},
        {"formData": form(1), "skipInvalid": 1},
        {"formData": form(1), "automation": "maybe"},
    ],
)
def test_a_malformed_body_is_a_400(cast: Cast, body: Any) -> None:
    assert cast.key.post("/contact", body).status == 400
    with cast.scope():
        assert not Contact.objects.exists()


def test_hostile_values_are_refused_or_kept_unharmed(cast: Cast) -> None:
    with cast.scope():
        add_field("anything", "text", "any")
        add_field("score", "number", "number")
        add_field("note", "textarea")
    deep: Any = "x"
    for _ in range(40):
        deep = [deep]
    refused: list[tuple[dict[str, Any], str]] = [
        ({"anything": deep}, "anything: is nested more than 10 deep"),
        ({"anything": {"a": "x" * 70_000}}, "anything: is 70,000 characters long"),
        ({"score": 1e308}, "score: is too large"),
        ({"score": 10**18 * 1000.5}, "score: is too large"),
        ({"note": "x" * 20_001}, "note: is 20,001 characters long"),
        ({"\u202e" * 200: 1}, ""),
    ]
    for values, warning in refused:
        answer = cast.key.post("/contact", {"formData": form(1, **values)})
        assert answer.status == 400, values
        assert warning in answer.body["warning"]
    raw = cast.key.client.generic(
        "POST",
        "/api/key/protected/contact",
        b'{"formData": {"name": "a\\u0000b"}}',
        content_type="application/json",
        headers=cast.key.headers,
    )
    assert raw.status_code == 400
    kept = "' OR 1=1 -- <script>alert(1)</script> 😀 \u202e %s {0}"
    answer = cast.key.post("/contact", {"formData": form(1, name=kept, note=kept, anything={"k%s": [kept, None, 1.5]})})
    assert answer.status == 200
    assert answer.data["name"] == kept
    assert answer.data["formData"]["note"] == kept
    assert answer.data["formData"]["anything"] == {"k%s": [kept, None, 1.5]}


def test_automation_can_be_skipped(cast: Cast) -> None:
    cast.key.post("/contact", {"formData": form(1), "automation": "skip"})
    with cast.scope():
        assert list(Event.objects.values_list("kind", "automation")) == [("contact.created", False)]


def test_the_plan_limit_counts_live_contacts_on_the_session_path_only(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.access import Entitlement

    allow(monkeypatch, Entitlement(limits={"contact": 1}))
    assert cast.session.post("/contact", {"formData": form(1)}).status == 200
    refused = cast.session.post("/contact", {"formData": form(2)})
    assert (refused.status, refused.body["message"]) == (403, "Your plan's limit is reached. Choose a larger plan.")
    assert cast.key.post("/contact", {"formData": form(2)}).status == 200


def test_without_subscription_nothing_is_created(db: None) -> None:
    from billing.models import Subscription

    lapsed = make_cast()
    with lapsed.scope():
        Subscription.objects.all().delete()
    answer = lapsed.key.post("/contact", {"formData": form(1)})
    assert (answer.status, answer.body["message"]) == (500, "Cannot read properties of null (reading planDetails)")
