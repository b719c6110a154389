"""The fields of a company's organizations, and the reader of their formData."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

from core.text.domains import domain_of
from core.types import JsonObject, Values
from crm.field_types import BadValue
from crm.field_types.values import clean_text
from crm.organizations.kind import ORGANIZATION
from crm.organizations.names import name_key
from crm.records.kinds import RecordKind
from crm.records.schema import RecordSchema

SYSTEM_COLUMNS = ORGANIZATION.system_columns
MAX_NAME = 300


@dataclass(slots=True)
class OrganizationSchema(RecordSchema):
    """The fields of the active company's organizations."""

    kind: ClassVar[RecordKind] = ORGANIZATION
    required_name: ClassVar[str] = "OrganizationDataRequired_400"

    @classmethod
    def load(cls) -> Self:
        """Load the schema of the active company with two statements, the lock among them."""
        schema = super(OrganizationSchema, cls).load()
        required = {key for key, spec in schema.system_fields.items() if spec.required} | {"name"}
        schema.required_system = tuple(key for key in SYSTEM_COLUMNS if key in required)
        return schema

    def fit(self, key: str, value: Any) -> Any:
        if key == "name":
            return " ".join(clean_text(value, MAX_NAME).split())
        domain = domain_of(str(value))
        if not domain:
            raise BadValue("enter a domain, such as example.com")
        return domain

    def derive(self, columns: Values) -> JsonObject:
        return {"name_key": name_key(columns["name"])}
