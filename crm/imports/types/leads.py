"""Imports of leads: each row with its contact, which is found or created, and the products, team and member that it
names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from core.access import quota_exceeded
from crm.contacts.rights import ContactRights, unchanged_values_note
from crm.imports.models import Import
from crm.imports.readers import FieldSpec
from crm.imports.rows.lookups import Lookups, ids_by_name, split_names
from crm.imports.types.base import (
    CONTACT_FIELDS,
    ORGANIZATION_FIELD,
    TAG_FIELDS,
    BatchResult,
    Existing,
    ImportType,
    OnExisting,
)
from crm.imports.types.employers import delete_unnamed_organizations, employ_lead_rows
from crm.imports.types.lead_places import PLACE_FIELDS, PlaceLookups
from crm.imports.types.named_leads import update_named_leads
from crm.leads.duplicates import DUPLICATE, REPEATED_TEXT
from crm.leads.schema import LeadRow, LeadSchema
from crm.leads.writes.writer import write_leads
from crm.products.models import ProductService
from crm.records.problems import ValueProblem
from crm.teams.models import Team

PRODUCTS = "productServices"
TEAM = "team"
MEMBER = "teamMember"
LEAD_FIELDS = (
    FieldSpec(
        "status",
        "Status",
        "text",
        ("lead status", "statut", "estado"),
    ),
    FieldSpec(
        "source", "Source", "text", ("lead source", "origin", "quelle", "herkunft", "origine", "origen", "fuente")
    ),
    FieldSpec(
        "value",
        "Value",
        "text",
        ("deal value", "amount", "deal amount", "expected value", "wert", "betrag", "montant", "importe"),
    ),
    FieldSpec(
        "notes",
        "Notes",
        "text",
        ("note", "comment", "comments", "notizen", "notiz", "bemerkung", "kommentar", "notas", "remarques"),
    ),
)
NAME_FIELDS = (
    FieldSpec(
        PRODUCTS,
        "Products and services",
        "text",
        (
            "product",
            "products",
            "service",
            "services",
            "produkt",
            "produkte",
            "produit",
            "produits",
            "producto",
            "productos",
        ),
    ),
    FieldSpec(TEAM, "Team", "text", ("sales team", "equipe", "equipo")),
    FieldSpec(
        MEMBER,
        "Team member",
        "text",
        (
            "owner",
            "lead owner",
            "deal owner",
            "assignee",
            "assigned to",
            "sales rep",
            "salesperson",
            "zustandig",
            "bearbeiter",
            "verantwortlich",
            "commercial",
            "responsable",
        ),
    ),
)


class LeadLookups(Lookups):
    """The company's products and teams by name, and its members by address or name; each also by _id."""

    def __init__(self, job: Import) -> None:
        super().__init__(job)
        self._products: dict[str, str] | None = None
        self._teams: dict[str, str] | None = None
        self._places = PlaceLookups()

    def apply_to(self, row: LeadRow, named: Mapping[str, str]) -> list[ValueProblem]:
        problems = super().apply_to(row, named)
        if text := named.get(PRODUCTS):
            product_ids, missing = self._find_products(text)
            row.product_ids = product_ids
            problems += [
                ValueProblem(
                    PRODUCTS, "ProductServiceNotFound_400", f"the product “{name[:60]}” does not exist; create it first"
                )
                for name in missing
            ]
        if text := named.get(TEAM):
            if team_id := self._team(text):
                row.system["team_id"] = team_id
            else:
                problems.append(
                    ValueProblem(TEAM, "TeamNotFound_400", f"the team “{text[:60]}” does not exist; create it first")
                )
        if text := named.get(MEMBER):
            member_id, unknown = self._members.read(MEMBER, text)
            problems += unknown
            if member_id:
                row.system["team_member_id"] = member_id
        return problems + self._places.apply_to(row, named)

    def tester(self, key: str) -> Callable[[str], bool] | None:
        testers: dict[str, Callable[[str], bool]] = {
            PRODUCTS: lambda text: bool(self._find_products(text)[0]),
            TEAM: lambda text: bool(self._team(text)),
            MEMBER: lambda text: self._members.find(text) is not None,
        }
        return testers.get(key) or self._places.tester(key) or super().tester(key)

    def _team(self, name: str) -> str | None:
        if self._teams is None:
            self._teams = ids_by_name(Team.objects.all())
        return self._teams.get(name.lower())

    def _find_products(self, text: str) -> tuple[list[str], list[str]]:
        """Return the ids of the products that a cell names, and the unknown names. A name may contain commas itself."""
        if self._products is None:
            self._products = ids_by_name(ProductService.objects.filter(is_deleted=False))
        names = [text] if text.lower() in self._products else split_names(text)
        product_ids = {name: self._products.get(name.lower()) for name in names}
        return list(dict.fromkeys(id for id in product_ids.values() if id)), [
            name for name, id in product_ids.items() if not id
        ]


class LeadImportType(ImportType):
    """Each row is a lead."""

    name: ClassVar[str] = Import.Type.LEAD
    noun: ClassVar[str] = "leads"
    not_found: ClassVar[str] = "LeadNotFound_400"
    exists: ClassVar[str] = DUPLICATE
    schema = LeadSchema
    fields = (*CONTACT_FIELDS, *LEAD_FIELDS)
    names = (*TAG_FIELDS, *NAME_FIELDS, *PLACE_FIELDS, ORGANIZATION_FIELD)

    def missing_fields(self, schema: LeadSchema, targets: set[str]) -> list[str]:
        needed = [key for key in schema.required_system if schema.columns[key] not in schema.system_defaults]
        needed += [key for key in schema.required_custom if key not in schema.defaults]
        missing = [key for key in needed if key not in targets]
        identifying = [key for key in ("email", "number") if schema.contacts.identified_by(key)]
        return missing if targets & set(identifying) else [" or ".join(identifying), *missing]

    def lookups(self, job: Import) -> Lookups:
        return LeadLookups(job)

    def write_rows(
        self, schema: LeadSchema, rows: Sequence[LeadRow], job: Import, existing: OnExisting, *, actor_id: str | None
    ) -> BatchResult:
        created = employ_lead_rows(schema, rows, job, actor_id=actor_id)
        written = super().write_rows(schema, rows, job, existing, actor_id=actor_id)
        delete_unnamed_organizations(created, job, actor_id=actor_id)
        return written

    def write(
        self, schema: LeadSchema, rows: Sequence[LeadRow], job: Import, existing: OnExisting, *, actor_id: str | None
    ) -> BatchResult:
        # Messages are stored without names: those who may read contacts get them when they read the row errors.
        rights = ContactRights(job.may_create_contacts, job.may_change_contacts, read=False)
        result = write_leads(
            schema,
            rows,
            actor_id=actor_id,
            import_id=job.pk,
            automation=job.automation,
            existing=existing or "rule",
            rights=rights,
        )
        written = BatchResult(result.created, result.updated, failed=result.failed, holders=result.holders)
        written.existing = [
            Existing(index, lead, ValueProblem("", DUPLICATE, REPEATED_TEXT)) for index, lead in result.collided
        ]
        for index in result.repeats:
            written.notes[index] = [ValueProblem("", DUPLICATE, REPEATED_TEXT)]
        if not rights.change:
            for index, names in result.left.items():
                written.notes.setdefault(index, []).append(
                    unchanged_values_note([self.label(name) for name in names], rights)
                )
        for index, module in result.refused:
            error = quota_exceeded(module)
            written.failed[index] = [ValueProblem("", error.name, error.detail)]
        return written

    def update_named(
        self, schema: LeadSchema, rows: Sequence[LeadRow], job: Import, *, actor_id: str | None
    ) -> BatchResult:
        return update_named_leads(schema, rows, job, actor_id=actor_id, not_found=self.not_found)
