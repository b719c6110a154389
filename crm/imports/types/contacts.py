"""Imports of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from core.access import quota_exceeded
from crm.contacts.collisions import EXISTS, describe_differences
from crm.contacts.schema import ContactRow, ContactSchema
from crm.contacts.unique_key import Collision, lock_unique_key
from crm.contacts.updates import update_contacts
from crm.contacts.writer import import_source, write_contacts
from crm.imports.models import Import
from crm.imports.types.base import (
    CONTACT_FIELDS,
    ORGANIZATION_FIELD,
    OWNER_FIELD,
    RECORD_ID,
    TAG_FIELDS,
    BatchResult,
    Existing,
    ImportType,
    OnExisting,
)
from crm.imports.types.employers import delete_unnamed_organizations, employ_contact_rows
from crm.records.problems import ValueProblem


class ContactImportType(ImportType):
    """Each row is a contact."""

    name: ClassVar[str] = Import.Type.CONTACT
    noun: ClassVar[str] = "contacts"
    not_found: ClassVar[str] = "ContactNotFound_400"
    exists: ClassVar[str] = EXISTS
    schema = ContactSchema
    fields = CONTACT_FIELDS
    names = (*TAG_FIELDS, ORGANIZATION_FIELD, OWNER_FIELD)

    def missing_fields(self, schema: ContactSchema, targets: set[str]) -> list[str]:
        needed = [*schema.required_system, *(key for key in schema.required_custom if key not in schema.defaults)]
        return [key for key in needed if key not in targets]

    def write_rows(
        self,
        schema: ContactSchema,
        rows: Sequence[ContactRow],
        job: Import,
        existing: OnExisting,
        *,
        actor_id: str | None,
    ) -> BatchResult:
        created = employ_contact_rows(schema, rows, job, actor_id=actor_id)
        written = super().write_rows(schema, rows, job, existing, actor_id=actor_id)
        delete_unnamed_organizations(created, job, actor_id=actor_id)
        return written

    def write(
        self,
        schema: ContactSchema,
        rows: Sequence[ContactRow],
        job: Import,
        existing: OnExisting,
        *,
        actor_id: str | None,
    ) -> BatchResult:
        result = write_contacts(
            schema,
            rows,
            actor_id=actor_id,
            import_id=job.pk,
            automation=job.automation,
            existing=existing or "skip",
        )
        written = BatchResult(result.created, result.updated)
        written.existing = _existing_rows(result.collided)
        for index in result.refused:
            error = quota_exceeded("contact")
            written.failed[index] = [ValueProblem("", error.name, error.detail)]
        return written

    def update_named(
        self, schema: ContactSchema, rows: Sequence[ContactRow], job: Import, *, actor_id: str | None
    ) -> BatchResult:
        lock_unique_key(schema, many=True)
        outcome = update_contacts(
            schema,
            [(row.record_id, row) for row in rows],
            actor_id=actor_id,
            automation=job.automation,
            source=import_source(job.pk),
        )
        written = BatchResult(updated=outcome.updated)
        written.existing = _existing_rows(outcome.collided)
        for row in outcome.missing:
            written.failed[row.index] = [ValueProblem(RECORD_ID, self.not_found, "the contact has just been deleted")]
        return written


def _existing_rows(collided: Sequence[Collision]) -> list[Existing]:
    """Return the rows whose unique key another contact has. The messages do not name it, because they are stored."""
    people = describe_differences(collided, may_read=False)
    return [
        Existing(
            collision.index,
            collision.existing_id,
            ValueProblem(collision.field, EXISTS, f"another contact has {collision.value} already{others}"),
        )
        for collision, others in zip(collided, people, strict=True)
    ]
