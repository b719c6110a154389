"""The organizations of contacts, found by the company that their text field names and by their email domain.

A bulk change matches contacts that have no organization yet. Imports do the same for the rows that they bring.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import orjson
from django.db import connection
from django.utils import timezone

from core.errors import NamedError
from core.internals.django import raw_delete, referrers
from core.lists import BulkSelection
from core.types import JsonObject, Values
from crm.bulk_jobs.changes import UPDATE, Outcome, change_many
from crm.bulk_jobs.history import journal
from crm.contacts.kind import CONTACT
from crm.contacts.models import Contact
from crm.contacts.schema import ContactRow, ContactSchema
from crm.organizations.kind import ORGANIZATION
from crm.organizations.matching import Employment, announce, company_field, majorities, match_organizations
from crm.organizations.models import Organization, OrganizationTag, OrganizationValue
from crm.organizations.names import name_key
from crm.records.pending import present_custom
from crm.records.schema import UNKNOWN
from crm.records.types import Apply
from crm.records.writes.bulk_change import ChangesById

MATCH = "matchOrganizations"
"""The key of a bulk change's payload with the options of matching."""
MAX_COLLEAGUES = 1000
COLLEAGUES = f"""
SELECT given.domain, named.company, count(*)
FROM unnest(%(domains)s::text[]) AS given (domain) CROSS JOIN LATERAL (
    SELECT {present_custom("c")} ->> %(field)s AS company FROM crm_contact c
    WHERE c.company_id = current_setting('app.company') AND NOT c.is_deleted AND c.email_identity IS NOT NULL
        AND c.email_identity >= given.domain || '@' AND c.email_identity < given.domain || 'A'
    ORDER BY c.email_identity LIMIT {MAX_COLLEAGUES}
) AS named
WHERE named.company <> '' GROUP BY 1, 2
"""
EMPLOY = """
UPDATE crm_contact c SET organization_id = new.organization, updated_at = %s,
    updated_by_id = coalesce(%s, c.updated_by_id)
FROM json_to_recordset(%s::json) AS new (id text, organization text) WHERE c.id = new.id
"""


class Named(NamedTuple):
    """A row of an import with the name of its organization, empty for none."""

    row: ContactRow
    company: str


def match_contacts(*, actor_id: str, selection: BulkSelection, field: str = "", automation: bool = True) -> Outcome:
    """Give the selected live contacts without an organization the one that they name, or leave it to a job.

    `field` is the uniqueFieldID of the text field with the organization's name; by default it is found by its name.
    Missing organizations are created, and undoing the change deletes them. Raises InvalidCustomField_400 and
    ContactNotFound_400.
    """
    change: JsonObject = {MATCH: {"field": field, "automation": automation}}
    return change_many(CONTACT, UPDATE, actor_id=actor_id, selection=selection, change=change, automation=automation)


def prepare_match(schema: ContactSchema, actor_id: str | None, options: Values) -> Apply:
    """Read a bulk change that matches contacts with organizations."""
    field = options["field"] or company_field(schema.fields.values())
    if options["field"] and options["field"] not in schema.fields:
        raise NamedError(UNKNOWN, f"there is no field {options['field'][:60]!r} of contacts", field="field")

    def apply(ids: list[str]) -> ChangesById:
        rows = Contact.objects.filter(pk__in=ids, organization=None).order_by("pk").values_list("pk", "email", "custom")
        contact_ids = []
        employments = []
        for id, email, custom in rows:
            company = custom.get(field)
            contact_ids.append(id)
            employments.append(Employment(company if isinstance(company, str) else "", email))
        colleagues = _colleagues(employments, field)
        employments = [
            employment
            if employment.key or employment.domain not in colleagues
            else Employment(colleagues[employment.domain].name, employment.email)
            for employment in employments
        ]
        owners = {domain: company.key for domain, company in colleagues.items()}
        matches = match_organizations(employments, owners=owners, actor_id=actor_id)
        journal.journal_created(ORGANIZATION, matches.created)
        announce(matches.created, actor_id=actor_id, automation=options["automation"])
        found = {id: organization for id, organization in zip(contact_ids, matches.ids, strict=True) if organization}
        _employ(found, actor_id)
        return {id: {"organization": {"from": None, "to": organization}} for id, organization in found.items()}

    return apply


def name_employers(schema: ContactSchema, rows: Sequence[ContactRow]) -> None:
    """Write the names of the rows' organizations into the text field of their company, unless a row has its own text.

    A row whose organization is removed empties the text.
    """
    field = company_field(schema.fields.values())
    unnamed = [row for row in rows if "organization_id" in row.system and field not in row.custom] if field else []
    ids = {id for row in unnamed if (id := row.system["organization_id"])}
    names = dict(Organization.objects.filter(pk__in=ids).values_list("pk", "name")) if ids else {}
    for row in unnamed:
        name = names.get(row.system["organization_id"])
        if name or field not in schema.required_custom:
            row.custom[field] = name


class Colleagues(NamedTuple):
    """The company that most people at a domain name: its key, and its name."""

    key: str
    name: str


def _colleagues(employments: Sequence[Employment], field: str) -> dict[str, Colleagues]:
    """Return domain -> the company of the people who have addresses at it.

    More than half of those who name a company have to name the same.
    """
    domains = {email_domain(employment.email): employment.domain for employment in employments if employment.domain}
    if not domains or not field:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(COLLEAGUES, {"domains": list(domains), "field": field})
        rows = sorted(cursor.fetchall())
    counts: dict[str, Counter[str]] = {}
    names: dict[tuple[str, str], str] = {}
    for domain, company, count in rows:
        key = name_key(company)
        if key:
            counts.setdefault(domains[domain], Counter())[key] += count
            names.setdefault((domains[domain], key), company)
    return {domain: Colleagues(key, names[domain, key]) for domain, key in majorities(counts).items()}


def email_domain(email: str | None) -> str:
    """Return the domain of an address as email_identity has it."""
    return (email or "").rpartition("@")[2].lower()


def _employ(organizations: Values, actor_id: str | None) -> None:
    if organizations:
        rows = [{"id": id, "organization": organization} for id, organization in sorted(organizations.items())]
        with connection.cursor() as cursor:
            cursor.execute(EMPLOY, [timezone.now(), actor_id, orjson.dumps(rows).decode()])


def employ_rows(rows: Iterable[Named], *, actor_id: str | None, import_id: str) -> list[str]:
    """Put the organizations that an import's rows name into the rows. Return the ids of those that were created.

    The caller keeps those that are used (keep_used) once the rows are written.
    """
    named = [item for item in rows if name_key(item.company)]
    employments = [Employment(item.company, item.row.system.get("email")) for item in named]
    matches = match_organizations(employments, actor_id=actor_id, import_id=import_id) if named else None
    if matches is None:
        return []
    for item, organization in zip(named, matches.ids, strict=True):
        item.row.system["organization_id"] = organization
    return matches.created


def keep_used(ids: Sequence[str], used: set[str], *, actor_id: str | None, automation: bool) -> None:
    """Announce the organizations that were created for rows and are used. Delete those whose rows were not written."""
    unused = [id for id in ids if id not in used]
    if unused:
        OrganizationTag.objects.filter(organization_id__in=unused).delete()
        OrganizationValue.objects.filter(organization_id__in=unused).delete()
        # They are of this transaction, and no record of an import refers to them.
        raw_delete(Organization.objects.filter(pk__in=unused), cleared=referrers(Organization))
    announce(used.intersection(ids), actor_id=actor_id, automation=automation)
