"""Records written before texts were folded: searches find them before, while and after their trigrams are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import pytest
from django.db import connection

from core.jobs.periodic import run_due_tasks
from core.tenancy import unscoped, use_owner_role
from crm.models import Contact, CustomField, CustomFieldValue, Lead, ProductService
from crm.records import search_backfill
from crm.records.search_backfill import fold_old_records
from tests.kit.cast import Cast, make_cast
from tests.kit.processes import Forked, kill

MIGRATION = import_module("core.migrations.0001_squashed_0007_fold_search")
FORMER_GRAMS = MIGRATION.SEARCH_GRAMS.format(
    name="search_grams", volatility="IMMUTABLE", folded='upper(content COLLATE "default")', begin="", result="grams"
)
"""The trigrams of texts that were not folded yet."""
WRITE_AGAIN = """
INSERT INTO core_searchbackfill (table_name)
SELECT name FROM unnest(%s::text[]) AS tables (name) WHERE pg_relation_size(name::regclass) > 0 ON CONFLICT DO NOTHING
"""
"""The statement that an upgrade ran. It asks for a table's size, since row-level security hides its rows."""
OLD = ["Åsa Ångström", "Straße 5", "O’Brien", "O`Neill", "ASCII Åkesson", "plain", "Жук Ёлка", "中文"]
OWN = ["Ångström", "straße", "o’brien", "o`neill", "åkesson", "plain", "ёлка", "中文"]
"""How each has always been found."""
PLAIN = ["angstrom", "strasse", "o'brien", "o'neill", "akesson", "plain", "елка", "中文"]
LOOP = """
import sys, time, django
django.setup()
from core.tenancy import unscoped
from crm.records import search_backfill
search_backfill.BATCH = 2
with unscoped(reason="test: the backfill"):
    while search_backfill.fold_old_records():
        print("batch", flush=True)
        time.sleep(0.05)
print("done", flush=True)
"""


@contextmanager
def before_the_migration() -> Iterator[None]:
    """Let the database compute trigrams as it did."""
    with use_owner_role(), connection.cursor() as cursor:
        cursor.execute(FORMER_GRAMS)
    try:
        yield
    finally:
        with use_owner_role(), connection.cursor() as cursor:
            cursor.execute(MIGRATION.FOLDED_GRAMS)
            cursor.execute(WRITE_AGAIN, [list(search_backfill.TABLES)])


def old_contacts(cast: Cast) -> None:
    with before_the_migration(), cast.scope():
        Contact.objects.bulk_create(Contact(name=name) for name in OLD)


def found(cast: Cast, path: str, text: str, **query: str) -> list[Any]:
    return cast.key.get(path, p="1", n="9", searchValue=text, **query).data  # type: ignore[no-any-return]


def by_name(cast: Cast, text: str) -> list[str]:
    return [row["name"] for row in found(cast, "/contact", text)]


def pending() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT table_name FROM core_searchbackfill ORDER BY table_name")
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.django_db
def test_old_contacts_are_found_as_before_until_they_are_found_without_accents(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_backfill, "BATCH", 3)
    old_contacts(cast)
    with cast.scope():
        Contact.objects.create(name="Ebba Ångström")
    assert by_name(cast, "ebba angstrom") == ["Ebba Ångström"], "what is written now is found at once"
    assert "crm_contact" in pending()
    rounds = 0
    with unscoped(reason="test: the backfill"):
        while fold_old_records():
            rounds += 1
            for name, own in zip(OLD, OWN, strict=True):
                assert name in by_name(cast, own), f"{name} is lost after {rounds} batches"
    assert rounds >= 1 + (len(OLD) + 1) // 3
    assert pending() == []
    for name, own, plain in zip(OLD, OWN, PLAIN, strict=True):
        assert name in by_name(cast, own)
        assert name in by_name(cast, plain)


@pytest.mark.django_db
def test_every_table_is_written_again(cast: Cast) -> None:
    with before_the_migration(), cast.scope():
        contact = Contact.objects.create(name="Bo")
        lead = Lead.objects.create(contact=contact, status="new", notes="met at the Café")
        ProductService.objects.create(name="Crème", kind="product")
        field = CustomField.objects.create(unique_field_id="city", name="City", field_type="text", value_type="string")
        CustomFieldValue.objects.create(contact=contact, field=field, text="Malmö")
    with unscoped(reason="test: the backfill"):
        run_due_tasks()
    assert pending() == []
    assert [row["_id"] for row in found(cast, "/lead", "cafe", searchBy="notes")] == [lead.pk]
    assert [row["name"] for row in found(cast, "/product-service", "creme")] == ["Crème"]
    assert [row["_id"] for row in found(cast, "/contact", "malmo", searchBy="city")] == [contact.pk]


@pytest.mark.django_db(transaction=True)
def test_a_killed_backfill_goes_on_where_it_was() -> None:
    cast = make_cast()
    old_contacts(cast)
    process = Forked(LOOP)
    for _ in range(2):
        assert process.stdout.readline() == "batch\n"
    kill(process)
    assert "crm_contact" in pending(), "it was killed within the first table"
    with connection.cursor() as cursor:
        cursor.execute("SELECT place FROM core_searchbackfill WHERE table_name = 'crm_contact'")
        ((place,),) = cursor.fetchall()
    assert len(place) == 1
    for name, own in zip(OLD, OWN, strict=True):
        assert by_name(cast, own) == [name]
    again = Forked(LOOP)
    assert again.stdout.readlines()[-1] == "done\n"
    again.wait(10)
    assert pending() == []
    for name, plain in zip(OLD, PLAIN, strict=True):
        assert by_name(cast, plain) == [name]
