"""Imports of organizations, which are found by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from crm.contacts.writer import import_source
from crm.imports.models import Import
from crm.imports.readers import FieldSpec
from crm.imports.rows.lookups import OWNER, TAGS, Lookups
from crm.imports.types.base import RECORD_ID, TAG_FIELDS, BatchResult, Existing, ImportType, OnExisting
from crm.organizations.matching import known_names
from crm.organizations.names import name_key
from crm.organizations.schema import OrganizationSchema
from crm.organizations.writer import insert_organizations, update_organizations
from crm.records.problems import ValueProblem
from crm.records.schema import RecordRow

EXISTS = "OrganizationAlreadyExists_400"
ORGANIZATION_FIELDS = (
    FieldSpec(
        "name",
        "Name",
        "text",
        (
            *("company", "company name", "organization", "organization name", "organisation", "account name", "firm"),
            *("firma", "firmenname", "unternehmen", "societe", "entreprise", "empresa", "azienda"),
        ),
    ),
    FieldSpec(
        "domain",
        "Domain",
        "text",
        (
            *("website", "web site", "url", "homepage", "web", "company domain", "company domain name"),
            *("webseite", "site web", "sitio web", "sito web"),
        ),
    ),
)
OWNER_FIELD = FieldSpec(
    OWNER,
    "Owner",
    "text",
    ("account owner", "company owner", "account manager", "zustandig", "betreuer", "responsable", "verantwortlich"),
)


class OrganizationLookups(Lookups):
    """The company's tags, and its members by address or name."""

    def apply_to(self, row: RecordRow, named: Mapping[str, str]) -> list[ValueProblem]:
        return [*self.put_tags(row, named), *self.put_owner(row, named)]


class OrganizationImportType(ImportType):
    """Each row is an organization."""

    name: ClassVar[str] = Import.Type.ORGANIZATION
    noun: ClassVar[str] = "organizations"
    not_found: ClassVar[str] = "OrganizationNotFound_400"
    exists: ClassVar[str] = EXISTS
    schema = OrganizationSchema
    fields = ORGANIZATION_FIELDS
    names = (*(spec for spec in TAG_FIELDS if spec.key == TAGS), OWNER_FIELD)

    def missing_fields(self, schema: OrganizationSchema, targets: set[str]) -> list[str]:
        needed = [*schema.required_system, *(key for key in schema.required_custom if key not in schema.defaults)]
        return [key for key in needed if key not in targets]

    def lookups(self, job: Import) -> Lookups:
        return OrganizationLookups(job)

    def write(
        self,
        schema: OrganizationSchema,
        rows: Sequence[RecordRow],
        job: Import,
        existing: OnExisting,
        *,
        actor_id: str | None,
    ) -> BatchResult:
        """Create the rows whose names no organization has. An earlier row of the batch counts, too."""
        result = BatchResult()
        ids = known_names([row.system["name"] for row in rows])
        new: dict[str, RecordRow] = {}
        repeated: list[RecordRow] = []
        nameless: list[RecordRow] = []
        for row in rows:
            key = name_key(row.system["name"])
            if not key:
                nameless.append(row)
            elif key in ids or key in new:
                repeated.append(row)
            else:
                new[key] = row
        inserted = [*new.values(), *nameless]
        created = insert_organizations(schema, inserted, actor_id=actor_id, import_id=job.pk, automation=job.automation)
        ids |= dict(zip(new, created, strict=False))
        result.created = [(row.index, id) for row, id in zip(inserted, created, strict=True)]
        targets = [(ids[name_key(row.system["name"])], row) for row in repeated]
        if existing == "update":
            outcome = update_organizations(
                schema, targets, actor_id=actor_id, automation=job.automation, source=import_source(job.pk)
            )
            result.updated = outcome.updated
            return result
        for id, row in targets:
            message = f"the organization {id} has this name already"
            result.existing.append(Existing(row.index, id, ValueProblem("name", EXISTS, message)))
        return result

    def update_named(
        self, schema: OrganizationSchema, rows: Sequence[RecordRow], job: Import, *, actor_id: str | None
    ) -> BatchResult:
        outcome = update_organizations(
            schema,
            [(row.record_id, row) for row in rows],
            actor_id=actor_id,
            automation=job.automation,
            source=import_source(job.pk),
        )
        written = BatchResult(updated=outcome.updated)
        for row in outcome.missing:
            problem = ValueProblem(RECORD_ID, self.not_found, "the organization has just been deleted")
            written.failed[row.index] = [problem]
        return written
