"""crm.bulk_jobs.history.journal: what is written down before a change gives it back, and leaves alone what others
changed since."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import GeneratedField

from core.lists import BulkSelection
from crm.bulk_jobs.history import journal
from crm.bulk_jobs.history.journal import Source
from crm.bulk_jobs.history.restore import RestoreResult
from crm.contacts.bulk import delete_contacts, update_many
from crm.contacts.kind import CONTACT
from crm.contacts.services import create_contacts, set_unique_key, update_contact
from crm.leads.kind import LEAD
from crm.models import BulkJob, Contact, ContactTag, CustomField, CustomFieldValue, Journal, Lead, ProductService
from crm.products.kind import PRODUCT_SERVICE
from crm.records.types import RECORD_TYPES
from tests.crm.contacts.helpers import add_field, form
from tests.kit.cast import Cast
from tests.kit.factories import ContactCategoryFactory, ContactFactory, LeadFactory, TagFactory


class Journaled:
    """A change of contacts with its journal, and the undoing of it."""

    def __init__(self, cast: Cast, ids: list[str]) -> None:
        self.actor, self.ids = cast.owner.pk, ids
        self.job = BulkJob.objects.create(action="update", panel="contact")
        self.source = Source.bulk_job(self.job.pk)

    def change(self, **values: Any) -> None:
        selection = BulkSelection.parse({"ids": self.ids}, {}, None)  # type: ignore[arg-type]
        with transaction.atomic():
            journal.record_before(CONTACT, self.ids, self.source)
            if values.pop("delete", False):
                delete_contacts(actor_id=self.actor, selection=selection)
            else:
                update_many(actor_id=self.actor, selection=selection, form_data=values.pop("form", {}), **values)
            journal.record_after(CONTACT, self.ids, self.source)

    def undo(self) -> RestoreResult:
        with transaction.atomic():
            return journal.restore(CONTACT, self.source, self.ids, actor_id=self.actor)


def everything() -> dict[str, Any]:
    """Return all rows of contacts and of what belongs to them, as the database has them."""
    found = {}
    tables = [
        "crm_contact",
        "crm_contacttag",
        "crm_customfieldvalue",
        "crm_lead",
        "crm_leadtag",
        "crm_leadproduct",
        "crm_productservice",
    ]
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(f"SELECT t::text FROM {table} t ORDER BY 1")
            found[table] = [row for (row,) in cursor.fetchall()]
    return found


@pytest.fixture
def ids(scope: Cast) -> list[str]:
    """Three contacts with custom values, a category and tags."""
    add_field("city")
    add_field("score", "number", "number")
    add_field("colours", "multi-select", "array", options=["red", "blue"])
    items = [
        form(1, name="Ann", city="Bonn", score=1.5, colours=["red"]),
        form(2, name="Bob", score=10**15),
        form(3, name="Cid"),
    ]
    tag, category = TagFactory(name="old").pk, ContactCategoryFactory(name="press").pk
    made = create_contacts(actor_id=scope.narrow.pk, items=items, tag_ids=[tag], category_id=category).created
    return sorted(made)


def test_what_nobody_changed_since_is_byte_for_byte_what_it_was(scope: Cast, ids: list[str]) -> None:
    was, change = everything(), Journaled(scope, ids)
    change.change(form={"city": "Ulm", "score": 2, "name": "Team"}, tag_ids=[TagFactory().pk], category_id=None)
    assert everything() != was
    given = change.undo()
    assert everything() == was
    assert (sorted(given.changed), given.kept, given.taken, given.revived) == (ids, {}, {}, set())
    assert given.changed[ids[0]]["city"] == {"from": "Ulm", "to": "Bonn"}
    assert given.changed[ids[1]]["city"] == {"from": "Ulm", "to": None}
    assert given.changed[ids[0]]["name"] == {"from": "Team", "to": "Ann"}
    assert given.changed[ids[0]]["tags"].keys() == {"added", "removed"}


def test_the_journal_keeps_what_is_different_and_forgets_what_is_not(scope: Cast, ids: list[str]) -> None:
    change = Journaled(scope, ids)
    change.change(form={"city": "Bonn"})
    rows = Journal.objects.filter(bulk_job=change.job)  # the change itself has a journal of its own
    assert sorted(rows.values_list("record_id", flat=True)) == ids[1:]
    row = rows.get(record_id=ids[1])
    assert row.before["row"]["custom"] == {"score": 10**15}
    assert row.after["row"].keys() == {"custom", "updated_at", "updated_by_id"}
    assert row.after["row"]["custom"] == {"score": 10**15, "city": "Bonn"}
    assert len(row.before["tags"]) == 1


def test_what_somebody_changed_since_stays_and_is_told(scope: Cast, ids: list[str]) -> None:
    change, other = Journaled(scope, ids), TagFactory(name="other")
    change.change(form={"city": "Ulm", "score": 2, "name": "Team"}, tag_ids=[])
    update_contact(
        id=ids[0], actor_id=scope.narrow.pk, form_data={"city": "Aachen", "number": "1709999999"}, tag_ids=[other.pk]
    )
    update_contact(id=ids[1], actor_id=scope.narrow.pk, form_data={"name": "Robert"})
    given = change.undo()
    rows = Contact.objects.in_bulk(ids)
    assert [rows[id].name for id in ids] == ["Ann", "Robert", "Cid"]
    assert [rows[id].custom for id in ids] == [
        {"city": "Aachen", "score": 1.5, "colours": ["red"]},
        {"score": 10**15},
        {},
    ]
    assert rows[ids[0]].number == "1709999999"
    assert sorted(ContactTag.objects.filter(contact_id=ids[0]).values_list("tag__name", flat=True)) == ["old", "other"]
    assert {id: sorted(names) for id, names in given.kept.items()} == {ids[0]: ["city", "tags"], ids[1]: ["name"]}
    assert [rows[id].updated_by_id for id in ids] == [scope.owner.pk, scope.owner.pk, scope.narrow.pk]
    values = CustomFieldValue.objects.filter(contact_id=ids[0], field__unique_field_id="city")
    assert list(values.values_list("text", flat=True)) == ["Aachen"]


def test_deleted_records_come_back_unless_their_key_is_taken(scope: Cast, ids: list[str]) -> None:
    was, change = everything(), Journaled(scope, ids)
    change.change(delete=True)
    taker = create_contacts(
        actor_id=scope.owner.pk, items=[form(2, name="Taker") | {"email": "ANN1@example.com"}]
    ).created
    given = change.undo()
    assert given.taken == {ids[0]: "email", ids[1]: "number"}
    assert (given.revived, sorted(given.changed)) == ({ids[2]}, [ids[2]])
    Contact.objects.filter(pk__in=taker).delete()
    assert change.undo().revived == set(ids[:2])
    assert everything() == was


def test_keys_follow_what_is_unique_now(scope: Cast, ids: list[str]) -> None:
    change = Journaled(scope, ids)
    change.change(delete=True)
    set_unique_key("number")
    create_contacts(actor_id=scope.owner.pk, items=[form(9) | {"email": "ann1@example.com"}])
    assert change.undo().revived == set(ids)
    assert set(Contact.objects.filter(pk__in=ids).values_list("email_key", flat=True)) == {None}
    assert Contact.objects.filter(pk__in=ids, number_key__isnull=False).count() == 3


def test_a_field_that_is_gone_or_takes_other_values_now_keeps_what_is(scope: Cast, ids: list[str]) -> None:
    change = Journaled(scope, ids)
    change.change(form={"city": "Ulm", "score": None})
    CustomField.objects.filter(unique_field_id="city").delete()
    score = CustomField.objects.get(unique_field_id="score")
    score.field_type, score.value_type = "date", "date"
    score.save()
    given = change.undo()
    assert given.kept == {ids[0]: ["score"], ids[1]: ["score"]}
    assert list(Contact.objects.order_by("pk").values_list("custom", flat=True)) == [
        {"city": "Ulm", "colours": ["red"]},
        {"city": "Ulm"},
        {"city": "Ulm"},
    ]


def test_references_that_are_gone_stay_away(scope: Cast, ids: list[str]) -> None:
    change, category, tag = Journaled(scope, ids), Contact.objects.get(pk=ids[0]).category, ContactTag.objects.first()
    assert category is not None
    assert tag is not None
    change.change(category_id=None, tag_ids=[])
    category.delete()
    tag.tag.delete()
    given = change.undo()
    assert all(sorted(names) == ["category", "tags"] for names in given.kept.values())
    assert (sorted(given.kept), given.changed) == (ids, {})
    assert list(Contact.objects.values_list("category_id", flat=True)) == [None] * 3


def test_journaled_again_what_others_did_in_between_counts_as_before(scope: Cast, ids: list[str]) -> None:
    change = Journaled(scope, ids[:1])
    change.change(form={"city": "Ulm"})
    update_contact(id=ids[0], actor_id=scope.narrow.pk, form_data={"city": "Aachen", "score": 7})
    was = everything()
    change.change(form={"name": "Team", "score": 8})
    assert Journal.objects.filter(bulk_job=change.job).count() == 1
    assert change.undo().kept == {}
    contact = Contact.objects.get(pk=ids[0])
    assert (contact.name, contact.custom) == ("Ann", {"city": "Aachen", "score": 7, "colours": ["red"]})
    assert everything()["crm_customfieldvalue"] == was["crm_customfieldvalue"]


def test_leads_and_products_are_given_back_with_amounts_and_links(scope: Cast) -> None:
    product = ProductService.objects.create(name="Ladder", price="12345678901234.5678")
    other = ProductService.objects.create(name="Anvil")
    lead = LeadFactory(value="99999999999999.0001", contact=ContactFactory())
    lead.product_links.create(product_service=product)
    job = BulkJob.objects.create(action="update", panel="lead")
    was = everything()
    for kind, id in ((LEAD, lead.pk), (PRODUCT_SERVICE, product.pk)):
        with transaction.atomic():
            journal.record_before(kind, [id], Source.bulk_job(job.pk))
            if kind is LEAD:
                lead.product_links.all().delete()
                lead.product_links.create(product_service=other)
                Lead.objects.filter(pk=id).update(value=None, status="won")
            else:
                ProductService.objects.filter(pk=id).update(price=1, is_deleted=True)
            journal.record_after(kind, [id], Source.bulk_job(job.pk))
    assert Lead.objects.get(pk=lead.pk).first_product == "Anvil"
    for kind, id in ((LEAD, lead.pk), (PRODUCT_SERVICE, product.pk)):
        with transaction.atomic():
            given = journal.restore(kind, Source.bulk_job(job.pk), [id], actor_id=None)
        assert list(given.changed) == [id]
    assert everything() == was


def test_a_name_taken_meanwhile_keeps_a_product_away(scope: Cast) -> None:
    product = ProductService.objects.create(name="Ladder")
    job = BulkJob.objects.create(action="delete", panel="productService")
    with transaction.atomic():
        journal.record_before(PRODUCT_SERVICE, [product.pk], Source.bulk_job(job.pk))
        ProductService.objects.filter(pk=product.pk).update(is_deleted=True)
        journal.record_after(PRODUCT_SERVICE, [product.pk], Source.bulk_job(job.pk))
    ProductService.objects.create(name="LADDER")
    with transaction.atomic():
        given = journal.restore(PRODUCT_SERVICE, Source.bulk_job(job.pk), [product.pk], actor_id=None)
    assert (given.taken, given.changed) == ({product.pk: "name"}, {})


def test_two_contacts_exchange_what_makes_them_unique(scope: Cast, ids: list[str]) -> None:
    change, rows = Journaled(scope, ids), Contact.objects.in_bulk(ids)
    was = everything()
    with transaction.atomic():
        journal.record_before(CONTACT, ids, change.source)
        Contact.objects.update(email_key=None)
        for id, giver in ((ids[0], ids[1]), (ids[1], ids[0])):
            Contact.objects.filter(pk=id).update(email=rows[giver].email, email_key=rows[giver].email_key)
        Contact.objects.filter(pk=ids[2]).update(email_key=rows[ids[2]].email_key)
        journal.record_after(CONTACT, ids, change.source)
    given = change.undo()
    assert (given.taken, everything()) == ({}, was)


def test_every_column_of_a_record_is_kept_or_follows_from_others(scope: Cast) -> None:
    derived = {"first_product", "email_key", "number_key", "name_key", "sort_name"}
    for kind in (record_type.kind for record_type in RECORD_TYPES.values()):
        columns = set(journal.row_columns(kind))
        left_out = [field for field in kind.model._meta.local_concrete_fields if field.column not in columns]
        assert {"id", "custom", "created_at", "updated_at", "is_deleted"} <= columns
        assert [
            field.column for field in left_out if not isinstance(field, GeneratedField) and field.column not in derived
        ] == []
