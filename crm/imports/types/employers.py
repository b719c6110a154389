"""The organizations that rows of contacts and leads name in a column, or in the text field of their company."""

from __future__ import annotations

from collections.abc import Sequence

from crm.contacts.employment import Named, employ_rows, keep_used
from crm.contacts.models import Contact
from crm.contacts.schema import ContactRow, ContactSchema
from crm.imports.models import Import
from crm.leads.models import Lead
from crm.leads.schema import LeadRow, LeadSchema
from crm.organizations.matching import company_field
from crm.records.schema import RecordRow


def employ_contact_rows(
    schema: ContactSchema, rows: Sequence[ContactRow], job: Import, *, actor_id: str | None
) -> list[str]:
    """Set the rows' organizations by name. Return the ids of created organizations."""
    field = company_field(schema.fields.values())
    named = [Named(row, row.company or _text(row, field)) for row in rows]
    return employ_rows(named, actor_id=actor_id, import_id=job.pk)


def employ_lead_rows(schema: LeadSchema, rows: Sequence[LeadRow], job: Import, *, actor_id: str | None) -> list[str]:
    """Put the organizations that the rows name into them, and into the values of their contacts.

    Contacts take one only where the import may change contacts. Returns the ids of those that were created.
    """
    field = company_field(schema.fields.values())
    people = [row.contact or ContactRow() for row in rows]
    named = [Named(person, row.company or _text(row, field)) for row, person in zip(rows, people, strict=True)]
    created = employ_rows(named, actor_id=actor_id, import_id=job.pk)
    for row, person in zip(rows, people, strict=True):
        if organization := person.system.get("organization_id"):
            row.system["organization_id"] = organization
            if not job.may_change_contacts:
                del person.system["organization_id"]
    return created


def delete_unnamed_organizations(ids: Sequence[str], job: Import, *, actor_id: str | None) -> None:
    """Delete created organizations to which neither contacts nor leads refer."""
    if not ids:
        return
    used = {
        id
        for model in (Contact, Lead)
        for id in model.objects.filter(organization_id__in=ids).values_list("organization_id", flat=True)
        if id
    }
    keep_used(ids, used, actor_id=actor_id, automation=job.automation)


def _text(row: RecordRow, field: str) -> str:
    value = row.custom.get(field) if field else None
    return value if isinstance(value, str) else ""
