"""The one implementation of writing contacts: POST /contact, POST /contact/bulk and imports stand on it."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from core.models import Event
from crm.contacts.schema import ContactSchema
from crm.contacts.writer import write_contacts
from crm.models import Contact, ContactTag, CustomFieldValue
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import TagFactory


def write(forms: list[dict[str, Any]], **options: Any) -> Any:
    schema = ContactSchema.load()
    rows = []
    for index, values in enumerate(forms):
        row, problems = schema.read(values, index=index)
        assert problems == []
        assert row is not None
        rows.append(row)
    with transaction.atomic():
        return write_contacts(schema, rows, actor_id=None, **options)


def test_writes_columns_values_tags_and_events(scope: Cast) -> None:
    city, score = add_field("city"), add_field("score", "number", "number")
    tag = TagFactory()
    schema = ContactSchema.load()
    row, problems = schema.read(form(1, name="Ann  Bee", city="Bonn", score=2.5))
    assert problems == []
    row.tag_ids = [tag.pk]
    with transaction.atomic():
        result = write_contacts(schema, [row], actor_id=scope.owner.pk)
    contact = Contact.objects.get()
    assert result.created == [(0, contact.pk)]
    assert (contact.name, contact.email, contact.country_code, contact.number, contact.contact_number) == (
        "Ann Bee",
        "ann1@example.com",
        "+49",
        "1701000001",
        "+491701000001",
    )
    assert (contact.email_key, contact.number_key) == ("ann1@example.com", "+491701000001")
    assert contact.custom == {"city": "Bonn", "score": 2.5}
    assert set(CustomFieldValue.objects.values_list("contact_id", "field_id", "position", "text", "number")) == {
        (contact.pk, city.pk, 0, "Bonn", None),
        (contact.pk, score.pk, 0, None, 2.5),
    }
    assert list(ContactTag.objects.values_list("contact_id", "tag_id")) == [(contact.pk, tag.pk)]
    assert list(Event.objects.values_list("kind", "object_id", "actor_id", "automation")) == [
        ("contact.created", contact.pk, scope.owner.pk, True)
    ]


def test_tells_what_collides_in_the_batch_and_with_live_contacts(scope: Cast) -> None:
    first = write([form(1)]).created[0][1]
    result = write([form(2), form(1), form(3, email="ANN2@example.com"), form(4, number="1701000001")])
    created = dict(result.created)
    assert list(created) == [0]
    assert [tuple(found) for found in result.collided] == [
        (1, "email", "ann1@example.com", first, ""),
        (2, "email", "ANN2@example.com", created[0], ""),
        (3, "number", "+491701000001", first, "ann4@example.com"),
    ]
    assert Contact.objects.count() == 2


def test_a_refused_row_does_not_stand_in_the_way_of_later_ones(scope: Cast) -> None:
    write([form(1)])
    result = write([form(5, email="ann1@example.com"), form(5)])
    assert [index for index, _ in result.created] == [1]
    assert [found.index for found in result.collided] == [0]


def test_update_gives_the_existing_contact_the_values_in_order(scope: Cast) -> None:
    add_field("city")
    add_field("note")
    first = write([form(1, city="Bonn", note="old")]).created[0][1]
    result = write(
        [
            form(1, city="Köln"),
            form(2, note="new"),
            form(2, city="Ulm"),
            form(8, email="ann1@example.com"),
            form(1, email="ann9@example.com"),
        ],
        existing="update",
    )
    assert [index for index, _ in result.created] == [1, 4]
    assert result.updated == [(0, first), (2, result.created[0][1]), (3, first)]
    rows = {(contact.email, contact.number): contact.custom for contact in Contact.objects.all()}
    assert rows == {
        ("ann1@example.com", "1701000008"): {"city": "Köln", "note": "old"},
        ("ann2@example.com", "1701000002"): {"note": "new", "city": "Ulm"},
        ("ann9@example.com", "1701000001"): {},
    }
    assert sorted(CustomFieldValue.objects.values_list("text", flat=True)) == ["Köln", "Ulm", "new", "old"]


def test_a_row_that_matches_two_contacts_updates_neither(scope: Cast) -> None:
    a, b = (id for _, id in write([form(1), form(2)]).created)
    result = write([form(1, number="1701000002")], existing="update")
    assert result.updated == []
    assert [tuple(found) for found in result.collided] == [(0, "number", "+491701000002", b, "ann1@example.com")]
    assert a != b


def test_needs_a_transaction(scope: Cast, django_db_blocker: Any) -> None:
    from django.db import connection

    schema = ContactSchema.load()
    row, _ = schema.read(form(1))
    assert row is not None
    connection.in_atomic_block, before = False, connection.in_atomic_block
    try:
        with pytest.raises(transaction.TransactionManagementError):
            write_contacts(schema, [row], actor_id=None)
    finally:
        connection.in_atomic_block = before
