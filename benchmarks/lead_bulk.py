"""POST /lead/bulk of 500 leads of contacts that exist, against bulk_create of the same rows."""

from __future__ import annotations

import random

from django.db import transaction

from benchmarks import raw
from benchmarks.bulk import ROUNDS, SIZE
from benchmarks.data.lead_population import lead_data
from benchmarks.data.population import Population, Tenant
from benchmarks.report import Result
from benchmarks.timing import interleaved, ms
from benchmarks.web import serve
from core.models import Event
from core.tenancy import company_scope
from core.types import JsonObject
from crm.leads.schema import LeadSchema
from crm.models import Contact, Lead, LeadProduct, LeadTag, LeadValue, ProductService, Tag

Records = tuple[list[Lead], list[LeadValue], list[LeadTag], list[LeadProduct], list[Event]]


def lead_bulk(population: Population) -> list[Result]:
    """Compare a request through the web server with five bulk_create in one transaction."""
    tenant = population.big
    with company_scope(tenant.company_id):
        tag = Tag.objects.values_list("pk", flat=True)[0]
        # An unused product, so that no lead duplicates an open one.
        product = ProductService.objects.create(name="Offered in bulk").pk
        contacts = list(Contact.objects.order_by("pk").values_list("pk", flat=True)[: 2 * (ROUNDS + 2) * SIZE])
        schema = LeadSchema.load()
    batches = [
        _items(number, contacts[start : start + SIZE]) for number, start in enumerate(range(0, len(contacts), SIZE))
    ]
    rounds = min(ROUNDS, len(batches) // 2 - 2)
    with serve(raw.log_file()) as web:
        caller = web.caller(tenant.key)

        def ask(items: list[JsonObject]) -> None:
            body = {"formData": items, "tags": [tag], "productServices": [product], "teamMember": tenant.member_id}
            made = caller.json("POST", "/lead/bulk", body=body)["data"]
            assert len(made["created"]) == SIZE, made["failed"][:1]

        # Both sides build the rows before the clock starts.
        asked = iter(batches[::2])
        ready = iter([_records(schema, tenant, tag, product, items) for items in batches[1::2]])
        ours, theirs = interleaved([lambda: ask(next(asked)), lambda: _create(tenant, next(ready))], rounds, warm_up=2)
    figures = (
        f"web {ms(ours)}, bulk_create {ms(theirs)}: leads, 2 values each, a tag and a product each, events;"
        f" into {tenant.leads:,} leads"
    )
    return [Result("POST /lead/bulk of 500", figures, ours / theirs, 3.0)]


def _items(number: int, contacts: list[str]) -> list[JsonObject]:
    chance = random.Random(number)
    return [{"contact": contact, **lead_data(number, chance)} for contact in contacts]


def _records(schema: LeadSchema, tenant: Tenant, tag: str, product: str, items: list[JsonObject]) -> Records:
    """Return the rows that the endpoint writes for the items, as model instances."""
    leads, values, links, products, events = [], [], [], [], []
    common: JsonObject = {"company_id": tenant.company_id}
    for item in items:
        row, problems = schema.read({key: value for key, value in item.items() if key != "contact"}, partial=True)
        assert row is not None, problems
        lead = Lead(
            **common,
            **row.system,
            contact_id=item["contact"],
            team_member_id=tenant.member_id,
            first_product="Offered in bulk",
            custom=schema.stored_custom(row),
            created_by_id=tenant.member_id,
            updated_by_id=tenant.member_id,
        )
        leads.append(lead)
        for key, value in lead.custom.items():
            spec = schema.fields[key]
            rows = enumerate(spec.index_rows(value))
            values += [
                LeadValue(**common, lead=lead, field_id=spec.id, position=i, **found._asdict()) for i, found in rows
            ]
        links.append(LeadTag(**common, lead=lead, tag_id=tag))
        products.append(LeadProduct(**common, lead=lead, product_service_id=product))
        events.append(Event(**common, kind="lead.created", object_id=lead.pk, actor_id=tenant.member_id))
    return leads, values, links, products, events


def _create(tenant: Tenant, records: Records) -> None:
    with company_scope(tenant.company_id), transaction.atomic():
        for model, made in zip((Lead, LeadValue, LeadTag, LeadProduct, Event), records, strict=True):
            model.objects.bulk_create(made)
