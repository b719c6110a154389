"""POST /contact/bulk"""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Event
from crm.models import Contact, ContactTag
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, TagFactory


def test_each_item_succeeds_or_fails_on_its_own(cast: Cast) -> None:
    taken = cast.key.post("/contact", {"formData": form(1)}).data["_id"]
    with cast.scope():
        add_field("score", "number", "number")
    items: list[Any] = [
        form(2, score=1),
        form(1),
        form(3, email="bad", score="x"),
        "text",
        form(2, number="1709999999"),
        form(4),
    ]
    answer = cast.key.post("/contact/bulk", {"formData": items})
    assert answer.status == 200
    assert [found["email"] for found in answer.data["created"]] == ["ann2@example.com", "ann4@example.com"]
    assert answer.data["created"][0]["formData"]["score"] == 1
    second = answer.data["created"][0]["_id"]
    assert answer.data["updated"] == []
    failed = answer.data["failed"]
    assert [(found["index"], found["name"]) for found in failed] == [
        (1, "ContactAlreadyExists_400"),
        (2, "InvalidSystemField_400"),
        (3, "InvalidPayload_400"),
        (4, "ContactAlreadyExists_400"),
    ]
    assert failed[0] == {
        "index": 1,
        "formData": items[1],
        "name": "ContactAlreadyExists_400",
        "message": "This contact already exists.",
        "warning": f"email: ann1@example.com belongs to the contact {taken} already",
    }
    assert failed[3]["warning"] == f"email: ann2@example.com belongs to the contact {second} already"
    assert [(found["index"], found["key"], found["name"]) for found in answer.data["errors"]] == [
        (1, "email", "ContactAlreadyExists_400"),
        (2, "email", "InvalidSystemField_400"),
        (2, "score", "InvalidCustomFieldValue_400"),
        (3, "formData", "InvalidPayload_400"),
        (4, "email", "ContactAlreadyExists_400"),
    ]
    with cast.scope():
        assert Contact.objects.count() == 3
        assert Event.objects.filter(kind="contact.created").count() == 3


@pytest.mark.parametrize("options", [{}, {"skipInvalid": True}])
def test_an_item_that_fails_is_skipped_whole(cast: Cast, options: dict[str, Any]) -> None:
    with cast.scope():
        add_field("score", "number", "number")
    answer = cast.key.post("/contact/bulk", {"formData": [form(1, score="x"), form(2)], **options})
    assert answer.status == 200
    assert [found["email"] for found in answer.data["created"]] == ["ann2@example.com"]
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [(0, "InvalidCustomFieldValue_400")]
    assert [found["index"] for found in answer.data["errors"]] == [0]


def test_skip_invalid_false_refuses_all_for_one_bad_item(cast: Cast) -> None:
    for bad in (form(2, number="1"), form(1)):
        refused = cast.key.post("/contact/bulk", {"formData": [form(1), form(3), bad], "skipInvalid": False})
        assert refused.status == 400
        assert refused.body["warning"].startswith("formData.2: ")
        assert refused.body["warning"].endswith("; nothing was written")
    with cast.scope():
        assert not Contact.objects.exists()
        assert not Event.objects.filter(kind="contact.created").exists()
    assert (
        len(cast.key.post("/contact/bulk", {"formData": [form(1), form(3)], "skipInvalid": False}).data["created"]) == 2
    )


def test_drop_invalid_values_creates_the_item_without_them(cast: Cast) -> None:
    with cast.scope():
        add_field("score", "number", "number")
    answer = cast.key.post(
        "/contact/bulk", {"formData": [form(1, score="x"), form(2, number="1")], "dropInvalidValues": True}
    )
    assert [found["formData"] for found in answer.data["created"]] == [
        {"name": "", "email": "ann1@example.com", "countryCode": "+49", "number": "1701000001"}
    ]
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [(1, "InvalidSystemField_400")]
    assert answer.data["errors"][0] == {
        "index": 0,
        "key": "score",
        "name": "InvalidCustomFieldValue_400",
        "message": "x is not a number. Enter a number, for example 1200.",
    }


def test_items_carry_their_own_labels_or_take_those_of_the_body(cast: Cast, outsiders: Cast) -> None:
    with cast.scope():
        one, two, category, other = TagFactory(), TagFactory(), ContactCategoryFactory(), ContactCategoryFactory()
    with outsiders.scope():
        foreign, foreign_category = TagFactory(), ContactCategoryFactory()
    items = [
        form(1),
        form(2, tags=[two.pk], category=other.pk),
        form(3, tags=[]),
        form(4, tags=[foreign.pk]),
        form(5, contactcategories=foreign_category.pk),
        form(6, tags="x"),
        form(7, category="x"),
    ]
    answer = cast.key.post("/contact/bulk", {"formData": items, "tags": [one.pk], "category": category.pk})
    created = [([tag["_id"] for tag in found["tags"]], found["category"]["_id"]) for found in answer.data["created"]]
    assert created == [([one.pk], category.pk), ([two.pk], other.pk), ([], category.pk)]
    assert [(found["index"], found["name"]) for found in answer.data["failed"]] == [
        (3, "TagNotFound_400"),
        (4, "ContactCategoryNotFound_400"),
        (5, "TagNotFound_400"),
        (6, "ContactCategoryNotFound_400"),
    ]
    with cast.scope():
        assert ContactTag.objects.count() == 2


def test_existing_error_off_updates(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
    first = cast.key.post("/contact", {"formData": form(1, city="Bonn")}).data["_id"]
    answer = cast.key.post("/contact/bulk", {"formData": [form(1, city="Ulm"), form(2)], "existingError": False})
    assert [found["email"] for found in answer.data["created"]] == ["ann2@example.com"]
    assert [(found["_id"], found["formData"]["city"]) for found in answer.data["updated"]] == [(first, "Ulm")]
    assert answer.data["failed"] == []


def test_limits(cast: Cast, outsiders: Cast) -> None:
    with outsiders.scope():
        foreign = TagFactory()
    for body, message in (
        ({"formData": [form(n) for n in range(501)]}, "The request is not complete or has wrong values."),
        ({"formData": []}, "Enter the missing details of the contact."),
        ({}, "Enter the missing details of the contact."),
        ({"formData": [form(1)], "tags": [foreign.pk]}, "Tag not found."),
    ):
        answer = cast.key.post("/contact/bulk", body)
        assert (answer.status, answer.body["message"]) == (400, message)
    assert cast.key.post("/contact/bulk", {"formData": "x"}).status == 400
    assert cast.key.post("/contact/bulk", {"formData": [form(1)], "surprise": 1}).status == 400
    with cast.scope():
        assert not Contact.objects.exists()
    full = cast.session.post("/contact/bulk", {"formData": [form(n) for n in range(500)]})
    assert len(full.data["created"]) == 500
    assert [found["email"] for found in full.data["created"][:2]] == ["ann0@example.com", "ann1@example.com"]


def test_the_number_of_statements_does_not_grow_with_the_items(cast: Cast) -> None:
    with cast.scope():
        add_field("city")
        tag = TagFactory()
    cast.key.get("/tag")  # the key's use is noted once a minute
    counts = []
    for start, size in ((0, 2), (10, 50)):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            cast.key.post(
                "/contact/bulk",
                {"formData": [form(n, city="Bonn") for n in range(start, start + size)], "tags": [tag.pk]},
            )
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert counts[1] <= 22


def test_the_narrow_role_may_not(cast: Cast) -> None:
    assert cast.narrow_session.post("/contact/bulk", {"formData": [form(1)]}).status == 403
