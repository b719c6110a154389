"""Imports of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from core.access import quota_exceeded
from crm.contacts.collisions import EXISTS, differences
from crm.contacts.schema import ContactRow, ContactSchema
from crm.contacts.writer import write_contacts
from crm.imports.models import Import
from crm.imports.types.base import CONTACT_FIELDS, TAG_FIELDS, BatchResult, Existing, ImportType, OnExisting
from crm.records.schema import ValueProblem


class ContactImportType(ImportType):
    """Each row is a contact."""

    name: ClassVar[str] = Import.Type.CONTACT
    noun: ClassVar[str] = "contacts"
    schema = ContactSchema
    fields = CONTACT_FIELDS
    names = TAG_FIELDS

    def missing_fields(self, schema: ContactSchema, targets: set[str]) -> list[str]:
        needed = [*schema.required_system, *(key for key in schema.required_custom if key not in schema.defaults)]
        return [key for key in needed if key not in targets]

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
        people = differences(result.collided, may_read=job.may_read_contacts)
        for found, others in zip(result.collided, people, strict=True):
            problem = ValueProblem(found.field, EXISTS, f"another contact has {found.value} already{others}")
            written.existing.append(Existing(found.index, found.existing_id, problem))
        for index in result.refused:
            error = quota_exceeded("contact")
            written.failed[index] = [ValueProblem("", error.name, error.detail)]
        return written
