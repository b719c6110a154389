"""Organizations as a kind of records: their tables and columns."""

from __future__ import annotations

from crm.organizations.models import Organization, OrganizationTag, OrganizationValue
from crm.records.kinds import Column, RecordKind
from crm.records.models import CustomField

ORGANIZATION = RecordKind(
    panel=CustomField.Panel.ORGANIZATION,
    model=Organization,
    values=OrganizationValue,
    link="organization",
    noun="organizations",
    singular="organization",
    module="contact",
    own_resource="organization",
    columns=(
        Column("name", "name", "field", empty=""),
        Column("domain", "domain", "field"),
        Column("owner_id", "owner", "beside"),
        Column("name_key", derived=True, empty=""),
        Column("sort_name", derived=True, inserted=False, updated=False),
    ),
    not_found="OrganizationNotFound_400",
    tags=OrganizationTag,
    links=(("tags", OrganizationTag, "tag_id"),),
    protected_by=("contacts", "leads"),
)
