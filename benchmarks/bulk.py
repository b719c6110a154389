"""POST /contact/bulk of 500 contacts against bulk_create of the same rows."""

from __future__ import annotations

import random
from itertools import count

from django.db import transaction

from benchmarks import raw
from benchmarks.data.population import Population, Tenant, form_data
from benchmarks.report import Result
from benchmarks.timing import interleaved, ms
from benchmarks.web import serve
from core.models import Event
from core.tenancy import company_scope
from core.types import JsonObject
from crm.contacts.schema import ContactSchema
from crm.models import Contact, ContactTag, CustomFieldValue, Tag

SIZE = 500
ROUNDS = 20
FIRST = 50_000_000
"""Contact numbers from here on are unused."""


def bulk(population: Population) -> list[Result]:
    """Compare a request through the web server with four bulk_create in one transaction."""
    tenant = population.big
    numbers = count(FIRST, SIZE)
    with company_scope(tenant.company_id):
        tag = Tag.objects.values_list("pk", flat=True)[0]
        schema = ContactSchema.load()
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)

        def ask(items: list[JsonObject]) -> None:
            made = caller.json("POST", "/contact/bulk", body={"formData": items, "tags": [tag]})["data"]
            assert len(made["created"]) == SIZE, made["failed"][:1]

        # Both sides build the rows before the clock starts.
        asked = iter([_items(next(numbers)) for _ in range(ROUNDS + 2)])
        ready = iter([_records(schema, tenant, tag, _items(next(numbers))) for _ in range(ROUNDS + 2)])
        ours, theirs = interleaved([lambda: ask(next(asked)), lambda: _create(tenant, next(ready))], ROUNDS, warm_up=2)
    figures = (
        f"web {ms(ours)}, bulk_create {ms(theirs)}: contacts, 5 values each, a tag each, events;"
        f" into {tenant.contacts:,} contacts"
    )
    return [Result("POST /contact/bulk of 500", figures, ours / theirs, 3.0)]


def _items(first: int) -> list[JsonObject]:
    chance = random.Random(first)
    return [form_data(number, chance) for number in range(first, first + SIZE)]


Records = tuple[list[Contact], list[CustomFieldValue], list[ContactTag], list[Event]]


def _records(schema: ContactSchema, tenant: Tenant, tag: str, items: list[JsonObject]) -> Records:
    """Return the rows that the endpoint writes for the items, as model instances."""
    contacts, values, links, events = [], [], [], []
    for item in items:
        row, problems = schema.read(item)
        assert row is not None, problems
        email_key, number_key = schema.keys_of(row.system)
        contact = Contact(
            company_id=tenant.company_id,
            **row.system,
            email_key=email_key,
            number_key=number_key,
            custom=schema.stored_custom(row),
            created_by_id=tenant.member_id,
            updated_by_id=tenant.member_id,
        )
        contacts.append(contact)
        for key, value in contact.custom.items():
            spec = schema.fields[key]
            values += [
                CustomFieldValue(
                    company_id=tenant.company_id, contact=contact, field_id=spec.id, position=i, **found._asdict()
                )
                for i, found in enumerate(spec.index_rows(value))
            ]
        links.append(ContactTag(company_id=tenant.company_id, contact=contact, tag_id=tag))
        events.append(
            Event(company_id=tenant.company_id, kind="contact.created", object_id=contact.pk, actor_id=tenant.member_id)
        )
    return contacts, values, links, events


def _create(tenant: Tenant, records: Records) -> None:
    with company_scope(tenant.company_id), transaction.atomic():
        for model, made in zip((Contact, CustomFieldValue, ContactTag, Event), records, strict=True):
            model.objects.bulk_create(made)
