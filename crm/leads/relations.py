"""The records that a lead refers to, and when it is expected to close, as requests give them beside its values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime

from core.errors import InvalidFormat
from core.ids import is_id
from core.types import JsonObject
from crm.contacts.models import Contact
from crm.leads.places import CLOSE, read_close
from crm.leads.schema import LeadRow
from crm.products.models import ProductService
from crm.records.problems import ValueProblem
from crm.records.results import UNSET


@dataclass(frozen=True, slots=True)
class Relations:
    """The references of a lead.

    UNSET was not given; None removes a reference, or counts as not given for a new lead.
    """

    contact: str | None | type[UNSET] = UNSET
    product_services: Sequence[str] | None | type[UNSET] = UNSET
    team: str | None | type[UNSET] = UNSET
    team_member: str | None | type[UNSET] = UNSET
    organization: str | None | type[UNSET] = UNSET
    tags: Sequence[str] | None | type[UNSET] = UNSET
    category: str | None | type[UNSET] = UNSET
    pipeline: str | None | type[UNSET] = UNSET
    stage: str | None | type[UNSET] = UNSET
    lost_reason: str | None | type[UNSET] = UNSET
    expected_close_at: str | None | type[UNSET] = UNSET
    """A time in ISO 8601, since bulk jobs store it."""

    def given_references(self) -> JsonObject:
        """Return the given references as JSON-compatible arguments of Relations."""
        references = {name.name: getattr(self, name.name) for name in fields(self)}
        return {name: value for name, value in references.items() if value is not UNSET}

    def put_into(self, row: LeadRow) -> None:
        """Put the references into the row."""
        if self.contact is not UNSET and self.contact is not None:
            row.system["contact_id"] = self.contact
        columns = {
            "team_id": self.team,
            "team_member_id": self.team_member,
            "organization_id": self.organization,
            "lost_reason_id": self.lost_reason,
        }
        for column, value in columns.items():
            if value is not UNSET:
                row.system[column] = value
        # A lead is always in a pipeline, so that null takes it out of none.
        for column, value in (("pipeline_id", self.pipeline), ("stage_id", self.stage)):
            if value is not UNSET and value is not None:
                row.system[column] = value
        if self.expected_close_at is not UNSET:
            text = self.expected_close_at
            row.system["expected_close_at"] = datetime.fromisoformat(text) if isinstance(text, str) else None
        if self.product_services is not UNSET:
            row.product_ids = self.product_services or ()  # type: ignore[assignment]
        if self.tags is not UNSET:
            row.tag_ids = self.tags or ()  # type: ignore[assignment]
        if self.category is not UNSET:
            row.category_id = self.category or ""  # type: ignore[assignment]


ID_KEYS = {
    "contact": ("contact", "ContactNotFound_400"),
    "team": ("team", "TeamNotFound_400"),
    "teamMember": ("team_member", "MemberNotFound_404"),
    "category": ("category", "ContactCategoryNotFound_400"),
    "organization": ("organization", "OrganizationNotFound_400"),
    "pipeline": ("pipeline", "PipelineNotFound_404"),
    "stage": ("stage", "StageNotFound_404"),
    "lostReason": ("lost_reason", "LostReasonNotFound_404"),
}
OWNER = "owner"
"""Another name of teamMember."""
LIST_KEYS = {"productServices": ("product_services", "ProductServiceNotFound_400"), "tags": ("tags", "TagNotFound_400")}


def own_relations(values: JsonObject) -> Relations | ValueProblem:
    """Take the references of an item of a bulk creation out of its values. Returns the first bad one as a problem."""
    if OWNER in values:
        values["teamMember"] = values.pop(OWNER)
    own: JsonObject = {}
    if (close := values.pop(CLOSE, None)) is not None:
        try:
            own["expected_close_at"] = read_close(close)
        except InvalidFormat as refusal:
            return ValueProblem(CLOSE, "InvalidPayload_400", refusal.detail)
    for key, (name, error) in (*ID_KEYS.items(), *LIST_KEYS.items()):
        reference = values.pop(key, None)
        if reference is None:
            continue
        ids = reference if key in LIST_KEYS else [reference]
        if not isinstance(ids, list) or not all(is_id(id) for id in ids):
            return ValueProblem(
                key, error, f"needs an array of {key} ids" if key in LIST_KEYS else f"needs the id of a {key}"
            )
        own[name] = list(dict.fromkeys(ids)) if key in LIST_KEYS else reference
    return Relations(**own)


def organizations_of(contact_ids: set[str]) -> dict[str, str | None]:
    """Return contact -> the organization that it works at, which its new leads are about."""
    return dict(Contact.objects.filter(pk__in=contact_ids).values_list("pk", "organization_id")) if contact_ids else {}


def product_names(ids: Iterable[str]) -> dict[str, str]:
    """Return product -> its name."""
    product_ids = list(ids)
    return dict(ProductService.objects.filter(pk__in=product_ids).values_list("pk", "name")) if product_ids else {}
