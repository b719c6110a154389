"""Lead sources that forms and booking pages store for the leads that they will make."""

from __future__ import annotations

from core.errors import ValidationFailed, shorten
from crm.contacts.kind import CONTACT
from crm.contacts.schema import ContactSchema
from crm.field_types import BadValue, TextFormat
from crm.leads.kind import LEAD
from crm.leads.schema import LeadSchema
from crm.records.stored_fields import stored_fields


def current_schema() -> LeadSchema:
    """Return the schema of the active company's leads, for reading: nothing is locked."""
    rows = stored_fields(LEAD.panel, CONTACT.panel)
    schema = LeadSchema.of(rows)
    schema.contacts = ContactSchema.of(rows)
    return schema


def check_source(source: str, parameter: str = "leadSource") -> str:
    """Return the source as leads store it. Raises ValidationFailed for one that leads cannot have."""
    if not source:
        return ""
    try:
        return _stored_source(source, current_schema())
    except BadValue as error:
        raise ValidationFailed(f"{parameter} is no source of leads", str(error), field=parameter) from None


def source_problem(source: str, schema: LeadSchema) -> str:
    """Return the reason why leads cannot have the source any more; empty: they can."""
    try:
        _stored_source(source, schema)
    except BadValue:
        return f"leads have no source {shorten(source, 60)!r} any more, so that new ones get none"
    return ""


def _stored_source(source: str, schema: LeadSchema) -> str:
    """Return the source as leads store it. Raises BadValue."""
    spec = schema.system_fields.get("source")
    if spec is None:
        raise BadValue("leads have no source in this company")
    return str(schema.fit("source", spec.parse(source, TextFormat())) or "")
