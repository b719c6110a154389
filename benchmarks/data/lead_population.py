"""The leads of the benchmarks: of a company's contacts, assigned to teams and members, some of them imported."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import orjson
from django.utils import timezone

from accounts.models import Member
from benchmarks.data.loading import copy_rows
from core.ids import new_id
from core.tenancy import company_scope
from core.types import JsonObject
from crm.custom_fields.services import create_field
from crm.leads.schema import LeadRow, LeadSchema
from crm.models import Contact, File, Import, ProductService, Tag, Team

if TYPE_CHECKING:
    from benchmarks.data.population import Tenant

REGIONS = 50
"""The values of the custom field `region`. A filter by it matches a fiftieth of the leads, like one by a member."""
TEAMS, MEMBERS, PRODUCTS, IMPORTS = 8, 44, 30, 20
SOURCES = ("website", "referral", "import", "event", "outreach", "other")
STATUSES = ("new", "contacted", "qualified", "proposal", "won", "lost")
SEED = 20260202

LEAD_FIELDS: tuple[JsonObject, ...] = (
    {"unique_field_id": "region", "name": "Region", "field_type": "text", "value_type": "string", "panel": "lead"},
    {"unique_field_id": "seats", "name": "Seats", "field_type": "number", "value_type": "number", "panel": "lead"},
)
LEAD_TABLES = ("crm_lead", "crm_leadvalue", "crm_leadtag", "crm_leadproduct")
COLUMNS = (
    *(
        "id",
        "created_at",
        "updated_at",
        "company_id",
        "created_by_id",
        "updated_by_id",
        "is_deleted",
        "contact_id",
        "status",
    ),
    *(
        "status_changed_at",
        "source",
        "value",
        "notes",
        "team_id",
        "team_member_id",
        "first_product",
        "import_job_id",
        "custom",
    ),
)
VALUE_COLUMNS = ("company_id", "lead_id", "field_id", "position", "text", "number", "time")
TAG_COLUMNS = ("id", "created_at", "updated_at", "company_id", "lead_id", "tag_id")
PRODUCT_COLUMNS = ("id", "created_at", "updated_at", "company_id", "lead_id", "product_service_id")


@dataclass(frozen=True)
class Around:
    """The ids that a company's leads refer to. Products are by name."""

    contacts: list[str]
    teams: list[str]
    members: list[str]
    imports: list[str]
    products: list[tuple[str, str]]
    tags: list[str]


def create_lead_references(tenant: Tenant) -> None:
    """Create what the company's leads refer to: teams, members, products, imports, and custom fields of leads."""
    with company_scope(tenant.company_id):
        for values in LEAD_FIELDS:
            create_field(actor_id=tenant.member_id, values=values)
        Team.objects.bulk_create(Team(name=f"Team {i}") for i in range(TEAMS))
        Member.objects.bulk_create(
            Member(name=f"Member {i}", email=f"member{i}@{tenant.company_id}.example.com", status=Member.Status.REMOVED)
            for i in range(MEMBERS)
        )
        ProductService.objects.bulk_create(ProductService(name=f"Product {i}") for i in range(PRODUCTS))
        files = File.objects.bulk_create(File(name=f"leads {i}.csv", size=1, mime="text/csv") for i in range(IMPORTS))
        Import.objects.bulk_create(Import(import_type="lead", file=file, status="completed") for file in files)


def lead_data(number: int, chance: random.Random) -> JsonObject:
    """Return the values of lead `number` in the API's form."""
    return {
        "status": chance.choice(STATUSES),
        "source": chance.choice(SOURCES),
        "value": chance.randrange(1_000_000) / 100,
        "notes": f"asked for offer {number}",
        "region": f"Region {chance.randrange(REGIONS)}",
        "seats": chance.randrange(100_000),
    }


def load_leads(tenant: Tenant, count: int) -> None:
    """COPY a company's leads (inside exempt_owner). Nine in ten have a member, and half are imported."""
    with company_scope(tenant.company_id):
        schema = LeadSchema.load()
        around = _around()
    chance = random.Random(SEED)
    start = timezone.now() - timedelta(days=720)
    for first in range(0, count, 50_000):
        batch = list(_rows(schema, chance, first, min(50_000, count - first)))
        ids = [new_id() for _ in batch]
        dates = [start + timedelta(minutes=first + i) for i in range(len(batch))]
        products = [chance.choice(around.products) if around.products else None for _ in batch]
        copy_rows(
            "crm_lead", COLUMNS, _leads(schema, tenant, around, chance, zip(batch, ids, dates, products, strict=True))
        )
        copy_rows("crm_leadvalue", VALUE_COLUMNS, _values(schema, zip(batch, ids, strict=True)))
        bought = zip(ids, dates, products, strict=True)
        links = ((new_id(), date, date, tenant.company_id, id, product[0]) for id, date, product in bought if product)
        copy_rows("crm_leadproduct", PRODUCT_COLUMNS, links)
        if around.tags:
            every_other = zip(ids[::2], dates[::2], strict=True)
            tagged = (
                (new_id(), date, date, tenant.company_id, id, chance.choice(around.tags)) for id, date in every_other
            )
            copy_rows("crm_leadtag", TAG_COLUMNS, tagged)


def _around() -> Around:
    """Return the active company's records."""
    lists = [list(model.objects.values_list("pk", flat=True)) for model in (Contact, Team, Member, Import)]
    return Around(
        *lists, list(ProductService.objects.values_list("pk", "name")), list(Tag.objects.values_list("pk", flat=True))
    )


def _rows(schema: LeadSchema, chance: random.Random, first: int, count: int) -> Iterator[LeadRow]:
    known = schema.fields.keys() | schema.columns.keys()
    for number in range(first, first + count):
        data = {key: value for key, value in lead_data(number, chance).items() if key in known}
        row, problems = schema.read(data, partial=True, index=number)
        assert row is not None, problems
        yield row


Item = tuple[LeadRow, str, Any, tuple[str, str] | None]


def _leads(
    schema: LeadSchema, tenant: Tenant, around: Around, chance: random.Random, items: Iterator[Item]
) -> Iterator[tuple[Any, ...]]:
    for row, id, date, product in items:
        system = row.system
        maker = chance.choice(around.members)
        yield (
            *(id, date, date, tenant.company_id, maker, maker, False, chance.choice(around.contacts), system["status"]),
            *(date, system["source"], system["value"], system["notes"], _one(chance, around.teams)),
            *(_one(chance, around.members) if chance.random() < 0.9 else None, product[1] if product else None),
            *(
                _one(chance, around.imports) if chance.random() < 0.5 else None,
                orjson.dumps(schema.stored_custom(row)).decode(),
            ),
        )


def _one(chance: random.Random, ids: Sequence[str]) -> str | None:
    return chance.choice(ids) if ids else None


def _values(schema: LeadSchema, items: Iterator[tuple[LeadRow, str]]) -> Iterator[tuple[Any, ...]]:
    for row, id in items:
        for key, value in schema.stored_custom(row).items():
            spec = schema.fields[key]
            for position, found in enumerate(spec.index_rows(value)):
                yield (schema.company_id, id, spec.id, position, *found)
