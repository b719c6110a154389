"""The companies and contacts of the benchmarks: one company with half of all contacts, nineteen with the rest."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any

import orjson
from django.utils import timezone

from accounts.models import Company, Member
from accounts.registration.companies import create_company
from benchmarks.data.lead_population import LEAD_TABLES, create_lead_references, load_leads
from benchmarks.data.loading import bare, copy_rows, exempt_owner, vacuum
from config.bootstrap import bootstrap
from core.ids import new_id
from core.tenancy import company_scope, unscoped
from core.types import JsonObject
from crm.contacts.schema import ContactRow, ContactSchema
from crm.custom_fields.services import create_field
from crm.models import ContactCategory, Tag

ALL_CONTACTS = 1_000_000
COMPANIES = 20
CITIES = 50
"""The values of the custom field `city`, and categories. A filter by either matches a fiftieth of the contacts."""
SEED = 20260101

FIELDS: tuple[JsonObject, ...] = (
    {"unique_field_id": "city", "name": "City", "field_type": "text", "value_type": "string"},
    {"unique_field_id": "score", "name": "Score", "field_type": "number", "value_type": "number"},
    {"unique_field_id": "signedUp", "name": "Signed up", "field_type": "date", "value_type": "date"},
    {"unique_field_id": "vip", "name": "VIP", "field_type": "checkbox", "value_type": "boolean"},
    {"unique_field_id": "remark", "name": "Remark", "field_type": "text", "value_type": "string"},
)
CONTACT_COLUMNS = (
    *(
        "id",
        "created_at",
        "updated_at",
        "company_id",
        "created_by_id",
        "updated_by_id",
        "is_deleted",
        "name",
        "email",
        "country_code",
    ),
    *("number", "contact_number", "email_key", "number_key", "category_id", "owner_id", "custom"),
)
LOADED_TABLES = ("crm_contact", "crm_customfieldvalue", "crm_contacttag")
VALUE_COLUMNS = ("company_id", "contact_id", "field_id", "position", "text", "number", "time")
TAG_COLUMNS = ("id", "created_at", "updated_at", "company_id", "contact_id", "tag_id")
FIRST_NAMES = (
    "Ann",
    "Ben",
    "Chiara",
    "Deniz",
    "Elif",
    "Farid",
    "Greta",
    "Hugo",
    "Ines",
    "Jan",
    "Kofi",
    "Lea",
    "Mika",
    "Nora",
    "Olu",
    "Pia",
)
LAST_NAMES = (
    "Adler",
    "Brandt",
    "Costa",
    "Dubois",
    "Eriksen",
    "Fischer",
    "Garcia",
    "Haddad",
    "Ito",
    "Jansen",
    "Kaya",
    "Lang",
    "Moreau",
)


@dataclass(frozen=True)
class Tenant:
    """A company with its owner's member id and API key."""

    company_id: str
    member_id: str
    key: str
    contacts: int
    leads: int = 0


@dataclass(frozen=True)
class Population:
    """The data of the benchmarks."""

    scale: float
    big: Tenant
    other: Tenant
    """Create a company for the import, with the same custom fields and no contacts."""
    total: int


def populate(scale: float) -> Population:
    """Create the companies and load their contacts into an empty database."""
    with unscoped(reason="benchmarks: look for companies that are not theirs"):
        if Company.objects.exists():
            raise SystemExit("The benchmarks need a database of their own; this one holds companies.")
    total = int(ALL_CONTACTS * scale)
    big = _tenant("Half of all", "big@example.com", total // 2, leads=total // 2)
    other = _tenant("Importing", "import@example.com", 0)
    with company_scope(big.company_id):
        owner = Member.objects.select_related("user").get(pk=big.member_id)
    shares = [(total - big.contacts) // (COMPANIES - 1)] * (COMPANIES - 1)
    smaller = [(create_company(name=f"Company {i}", owner=owner.user), share) for i, share in enumerate(shares)]
    tables = (*LOADED_TABLES, *LEAD_TABLES)
    with exempt_owner(tables):
        with bare(tables):
            for tenant in (
                big,
                *(Tenant(company.pk, member.pk, "", share, share // 4) for (company, member), share in smaller),
            ):
                load(tenant)
                load_leads(tenant, tenant.leads)
        vacuum()
    return Population(scale, big, other, big.contacts + sum(shares))


def _tenant(name: str, email: str, contacts: int, leads: int = 0) -> Tenant:
    made = bootstrap(company_name=name, email=email, password="a long pass phrase")
    tenant = Tenant(made.company.pk, made.member.pk, made.api_key.key, contacts, leads)
    create_fields_and_tags(tenant)
    create_lead_references(tenant)
    return tenant


def create_fields_and_tags(tenant: Tenant) -> None:
    """Create the company's custom fields, categories and tags."""
    with company_scope(tenant.company_id):
        for values in FIELDS:
            create_field(actor_id=tenant.member_id, values=values)
        ContactCategory.objects.bulk_create(ContactCategory(name=f"Category {i}") for i in range(CITIES))
        Tag.objects.bulk_create(Tag(name=f"Tag {i}") for i in range(20))


def form_data(number: int, chance: random.Random) -> JsonObject:
    """Return the values of contact `number` in the API's form."""
    first, last = chance.choice(FIRST_NAMES), chance.choice(LAST_NAMES)
    return {
        "name": f"{first} {last} {number}",
        "email": f"{first}.{last}.{number}@mail{number % 200}.example.com".lower(),
        "countryCode": "+49",
        "number": f"151{number:08}",
        "city": f"City {chance.randrange(CITIES)}",
        "score": chance.randrange(100_000),
        "signedUp": f"{chance.randrange(2015, 2026)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}",
        "vip": chance.random() < 0.1,
        "remark": f"met at event {chance.randrange(1000)}, call back",
    }


def rows(
    schema: ContactSchema, count: int, *, first: int = 0, keys: frozenset[str] | None = None
) -> Iterator[ContactRow]:
    """Return `count` contacts, read by the service's reader of formData. `keys` limits the values."""
    chance = random.Random(SEED + first)
    for number in range(first, first + count):
        data = form_data(number, chance)
        row, problems = schema.read(data if keys is None else {key: data[key] for key in keys}, index=number)
        assert row is not None, problems
        yield row


def load(tenant: Tenant) -> None:
    """COPY a company's contacts (inside exempt_owner), with values and tags if it has fields and tags."""
    with company_scope(tenant.company_id):
        schema = ContactSchema.load()
        labels = (
            list(ContactCategory.objects.values_list("pk", flat=True)),
            list(Tag.objects.values_list("pk", flat=True)),
        )
    keys = None if schema.fields else frozenset({"name", "email", "countryCode", "number"})
    found = rows(schema, tenant.contacts, keys=keys)
    start = timezone.now() - timedelta(days=720)
    chance = random.Random(SEED)
    done = 0
    while batch := list(islice(found, 50_000)):
        ids = [new_id() for _ in batch]
        dates = [start + timedelta(minutes=done + i) for i in range(len(batch))]
        done += len(batch)
        categories = [chance.choice(labels[0]) if labels[0] else None for _ in batch]
        copy_rows("crm_contact", CONTACT_COLUMNS, _contacts(schema, tenant, batch, ids, dates, categories))
        copy_rows("crm_customfieldvalue", VALUE_COLUMNS, _values(schema, batch, ids))
        if labels[1]:
            every_other = zip(ids[::2], dates[::2], strict=True)
            tagged = (
                (new_id(), date, date, tenant.company_id, id, chance.choice(labels[1])) for id, date in every_other
            )
            copy_rows("crm_contacttag", TAG_COLUMNS, tagged)


def _contacts(
    schema: ContactSchema,
    tenant: Tenant,
    batch: list[ContactRow],
    ids: list[str],
    dates: list[Any],
    categories: list[str | None],
) -> Iterator[tuple[Any, ...]]:
    for row, id, date, category in zip(batch, ids, dates, categories, strict=True):
        system = row.system
        owner = tenant.member_id if row.index % 10 == 0 else None
        yield (
            *(id, date, date, tenant.company_id, tenant.member_id, tenant.member_id, False),
            *(system["name"], system["email"], system["country_code"], system["number"], system["contact_number"]),
            *(*schema.keys_of(system), category, owner, orjson.dumps(schema.stored_custom(row)).decode()),
        )


def _values(schema: ContactSchema, batch: Iterable[ContactRow], ids: list[str]) -> Iterator[tuple[Any, ...]]:
    for row, id in zip(batch, ids, strict=True):
        for key, value in schema.stored_custom(row).items():
            spec = schema.fields[key]
            for position, found in enumerate(spec.index_rows(value)):
                yield (schema.company_id, id, spec.id, position, *found)
