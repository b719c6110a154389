"""The fields of a company's leads, and the only reader of their formData for the API and for imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

from django.db.models import Subquery, Value
from django.db.models.functions import Coalesce

from accounts.models import Company, CompanySettings
from core.types import JsonObject, Values
from crm.contacts.kind import CONTACT
from crm.contacts.schema import ContactRow, ContactSchema, without_repeats
from crm.field_types import TextFormat
from crm.field_types.values import clean_text
from crm.leads.duplicates import Rule
from crm.leads.kind import LEAD
from crm.pipelines.default import kind_of_option
from crm.pipelines.models import Stage
from crm.pipelines.stages import LOST, WON, Stages
from crm.records.kinds import RecordKind
from crm.records.locks import lock_fields_shared
from crm.records.models import CustomField
from crm.records.money import read_amount
from crm.records.problems import ValueProblem
from crm.records.schema import REQUIRED, RecordRow, RecordSchema
from crm.records.stored_fields import stored_fields
from crm.teams.locks import lock_teams_shared

SYSTEM_COLUMNS = LEAD.system_columns
CONTACT_KEYS = tuple(CONTACT.system_columns)
"""The formData keys that are values of the lead's contact."""
MAX_CHOICE = 100
"""Maximum length of a status or a source."""
NEW = "new"


@dataclass(slots=True)
class LeadRow(RecordRow):
    """A lead to be written: `system` has columns, including contact_id, team_id and team_member_id.

    Without contact_id, the values of `contact` find the contact or create it; `contact_lacks` lists missing values of a
    new one. An empty `category_id` removes the contact's category.
    """

    contact: ContactRow | None = None
    contact_lacks: list[ValueProblem] = field(default_factory=list)
    category_id: str | None = None
    company: str = ""
    """The name of the organization in a column of an import."""
    product_ids: Sequence[str] | None = None


@dataclass(slots=True)
class LeadSchema(RecordSchema):
    """The fields of the active company's leads and of their contacts."""

    kind: ClassVar[RecordKind] = LEAD
    row_class: ClassVar[type[RecordRow]] = LeadRow
    required_name: ClassVar[str] = "ValidationError_400"

    contacts: ContactSchema = None  # type: ignore[assignment]
    closed: frozenset[str] = frozenset()
    """The statuses of leads that are not open."""
    duplicates: str = ""
    """The setting duplicateLeads."""
    stages: Stages = field(default_factory=Stages)
    needs_reason: bool = False
    """The setting lostReasonRequired."""

    @classmethod
    def load(cls) -> Self:
        """Load the schema of the active company with four statements, the lock among them."""
        lock_fields_shared()
        rows = stored_fields(LEAD.panel, CONTACT.panel)
        schema, contacts = cls.of(rows), ContactSchema.of(rows)
        schema.contacts = contacts
        schema.closed = _closed_statuses(rows)
        settings = _settings(schema.company_id)
        contacts.unique_key = settings.unique_key
        schema.duplicates = settings.duplicates
        schema.needs_reason = settings.needs_reason
        schema.stages = Stages.load()
        schema.stages.closed = schema.closed
        schema.stages.first_status = schema.first_status
        return schema

    @classmethod
    def of(cls, rows: Iterable[CustomField]) -> Self:
        """Return the schema that consists of the rows; that of its contacts, and the settings, are still to be set."""
        schema = super(LeadSchema, cls).of(rows)
        fields = schema.system_fields
        schema.required_system = tuple(key for key in SYSTEM_COLUMNS if key in fields and fields[key].required)
        defaults = {key: spec.default for key, spec in fields.items() if spec.default is not None}
        if "status" not in defaults and fields.get("status") and fields["status"].options:
            defaults["status"] = fields["status"].options[0]
        schema.system_defaults = {
            SYSTEM_COLUMNS[key]: schema.fit(key, value) for key, value in defaults.items() if key in SYSTEM_COLUMNS
        }
        return schema

    @property
    def first_status(self) -> str:
        """The status of open leads whose stage has none."""
        spec = self.system_fields.get("status")
        statuses = [self.system_defaults.get("status"), *(spec.options if spec else ())]
        return next((status for status in statuses if status and status not in self.closed), NEW)

    def settle(self, was: Values, now: Values) -> JsonObject:
        return self.stages.settle(was, now)

    def place_of(self, columns: Values) -> JsonObject:
        """Return the first stage of the same kind in the pipeline, or in the default one, if the lead's own is gone or
        has become one of another kind."""
        pipeline = columns["pipeline_id"]
        own = self.stages.by_id.get(columns["stage_id"] or "")
        kind = self.stages.kind_of(columns["status"])
        fits = columns["stage_id"] and (own is None or own.kind == kind)
        if fits or (pipeline and not columns["status"]):
            return {}
        stage = self.stages.first(pipeline or "", kind) or self.stages.first(self.stages.default_pipeline or "", kind)
        if stage is None:
            return {}
        status = self.stages.status_of(stage, columns["status"])
        return {"pipeline_id": stage.pipeline_id, "stage_id": stage.id, "status": status}

    def is_open(self, row: LeadRow) -> bool:
        """Return whether the row's lead is open, as far as the row says where it is; a new lead is by default."""
        return self.new_columns(row).get("status") not in self.closed

    def new_columns(self, row: LeadRow) -> JsonObject:
        """Return the columns of a new lead that its row and the company's defaults give, with its stage."""
        columns = {**self.system_defaults, **row.system}
        return {**columns, **self.settle({}, columns)}

    def fit(self, key: str, value: Any) -> Any:
        if key == "value":
            return read_amount(value)
        return clean_text(value, MAX_CHOICE) if key in ("status", "source") else value

    def lock_references(self) -> None:
        lock_teams_shared()

    def lock_for_merge(self) -> None:
        self.lock_references()
        self.contacts.lock_unique_values()

    def known_keys(self, partial: bool) -> Iterable[str]:
        return SYSTEM_COLUMNS if partial else (*SYSTEM_COLUMNS, *CONTACT_KEYS)

    def read_related(
        self,
        form_data: Values,
        row: Any,
        problems: list[ValueProblem],
        how: TextFormat | None,
        *,
        partial: bool,
        drop_invalid: bool,
    ) -> None:
        """Put the values of the lead's contact into the row of a new lead.

        Blank values count as not given, so that they do not empty an existing contact.
        """
        contact_values = {
            key: form_data[key]
            for key in CONTACT_KEYS
            if form_data.get(key) is not None and str(form_data[key]).strip()
        }
        if partial or not contact_values:
            return
        contact, contact_problems = self.contacts.read(
            contact_values, partial=True, drop_invalid=drop_invalid, from_text=how or False, index=row.index
        )
        problems += contact_problems
        if contact is not None:
            row.contact = contact
            lacks = self.contacts.missing(
                contact, contact_values, {problem.key for problem in contact_problems}, drop_invalid=drop_invalid
            )
            row.contact_lacks = without_repeats(lacks) if how is not None else lacks


NO_CONTACT = ValueProblem(
    "contact", REQUIRED, "choose a contact, or enter the email address or phone number of a new one"
)


def closed_statuses() -> frozenset[str]:
    """Return the statuses of the active company's leads that are won, lost or otherwise closed.

    These are `won`, `lost`, and each option of the system field `status` whose description begins with "closed".
    """
    return _closed_statuses(CustomField.objects.filter(panel=LEAD.panel, is_system=True, unique_field_id="status"))


def _closed_statuses(rows: Iterable[CustomField]) -> frozenset[str]:
    described = {
        option["value"]
        for row in rows
        if row.panel == LEAD.panel and row.is_system and row.unique_field_id == "status"
        for option in row.options or ()
        if kind_of_option(option) != Stage.Kind.OPEN
    }
    return frozenset({WON, LOST} | described)


class _Settings(NamedTuple):
    """The unique key of a company's contacts, and its settings duplicateLeads and lostReasonRequired."""

    unique_key: str
    duplicates: str
    needs_reason: bool


def _settings(company: str) -> _Settings:
    rows = CompanySettings.objects.all()
    rule = Coalesce(Subquery(rows.values("duplicate_leads")[:1]), Value(Rule.WARN.value))
    needs_reason = Coalesce(Subquery(rows.values("lost_reason_required")[:1]), Value(False))  # noqa: FBT003
    return _Settings._make(Company.objects.values_list("contact_unique_key", rule, needs_reason).get(pk=company))
