"""The writer of leads, while others write between its reads and its writes."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from core.models import Event
from crm.contacts.schema import ContactSchema
from crm.leads.schema import LeadRow, LeadSchema
from crm.leads.writes import writer as lead_rows
from crm.leads.writes.writer import LeadResult, write_leads
from crm.models import Contact, Lead, LeadProduct, ProductService
from tests.crm.contacts.helpers import add_field, form
from tests.crm.leads.helpers import product, set_duplicates
from tests.kit.cast import Cast
from tests.kit.factories import ContactFactory, LeadFactory


def rows_of(schema: LeadSchema, forms: list[dict[str, Any]]) -> list[LeadRow]:
    found = []
    for index, values in enumerate(forms):
        row, problems = schema.read(values, index=index)
        assert problems == []
        assert row is not None
        found.append(row)
    return found


def test_the_fields_settings_and_stages_take_four_statements(scope: Cast, django_assert_num_queries: Any) -> None:
    """The lock, the fields of leads and contacts, the settings, the stages of pipelines."""
    add_field("size", "number", "number", panel="lead")
    add_field("vip", "checkbox", "boolean")
    with django_assert_num_queries(4):
        schema = LeadSchema.load()
    assert (set(schema.fields), set(schema.contacts.fields)) == ({"size"}, {"vip"})
    assert schema.contacts.unique_key == "either"
    assert (schema.duplicates, schema.closed) == ("warn", {"won", "lost"})
    with django_assert_num_queries(3):
        ContactSchema.load()


def write(forms: list[dict[str, Any]], **options: Any) -> LeadResult:
    schema = LeadSchema.load()
    with transaction.atomic():
        return write_leads(schema, rows_of(schema, forms), actor_id=None, **options)


def test_a_contact_that_appears_after_the_read_is_used(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    contact = Contact.objects.get(pk=scope.key.post("/contact", {"formData": form(1, name="Ann")}).data["_id"])
    first = LeadFactory(contact=contact)
    set_duplicates("refuse")
    find, calls = lead_rows.live_holders, []

    def blind_at_first(keyed: Any) -> Any:
        calls.append(1)
        return find(keyed) if len(calls) > 1 else []

    monkeypatch.setattr(lead_rows, "live_holders", blind_at_first)
    result = write([form(1, name="Anna"), form(2)])
    assert len(calls) == 2
    assert result.collided == [(0, first.pk)]
    assert [index for index, _ in result.created] == [1]
    contact.refresh_from_db()
    assert contact.name == "Ann"
    assert sorted(Event.objects.values_list("kind", flat=True)) == [
        "contact.created",
        "contact.created",
        "lead.created",
    ]


def test_a_lead_that_is_deleted_before_it_is_updated_is_made_anew(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    contact = ContactFactory()
    first = LeadFactory(contact=contact)
    update, calls = lead_rows.update_leads, []

    def too_late_at_first(schema: Any, changes: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) > 1:
            return update(schema, changes, **options)
        Lead.objects.filter(pk=first.pk).update(is_deleted=True)
        return update(schema, changes, **options)

    monkeypatch.setattr(lead_rows, "update_leads", too_late_at_first)
    schema = LeadSchema.load()
    row = LeadRow(system={"contact_id": contact.pk, "source": "event"})
    with transaction.atomic():
        result = write_leads(schema, [row], actor_id=None, existing="update")
    # The round with the deletion was taken back, deletion included: the lead was there after all.
    assert (result.updated, result.created) == ([(0, first.pk)], [])
    first.refresh_from_db()
    assert (first.source, first.is_deleted) == ("event", False)


def test_it_gives_up_when_others_never_stop(scope: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    scope.key.post("/contact", {"formData": form(1)})
    monkeypatch.setattr(lead_rows, "live_holders", lambda keyed: [])
    with pytest.raises(RuntimeError, match="kept changing"):
        write([form(1)])
    assert not Lead.objects.exists()


def test_needs_a_transaction(scope: Cast) -> None:
    from django.db import connection

    schema = LeadSchema.load()
    connection.in_atomic_block, before = False, connection.in_atomic_block
    try:
        with pytest.raises(transaction.TransactionManagementError):
            write_leads(schema, rows_of(schema, [form(1)]), actor_id=None)
    finally:
        connection.in_atomic_block = before


def test_the_first_product_is_right_whoever_writes_the_links(scope: Cast) -> None:
    a, b, c = product("a"), product("b"), product("c")
    one, two = LeadFactory(), LeadFactory()

    def first() -> list[str | None]:
        return list(Lead.objects.order_by("pk").values_list("first_product", flat=True))

    LeadProduct.objects.bulk_create(
        [LeadProduct(lead=one, product_service=p) for p in (b, c)] + [LeadProduct(lead=two, product_service=c)]
    )
    assert first() == ["b", "c"]
    LeadProduct.objects.filter(lead=one, product_service=c).update(lead=two, product_service=a)
    assert first() == ["b", "a"]
    ProductService.objects.filter(pk=a.pk).update(name="z")
    assert first() == ["b", "c"]
    ProductService.objects.update(description="no name changed")
    LeadProduct.objects.filter(lead=one).delete()
    assert first() == [None, "c"]
