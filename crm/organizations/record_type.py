"""The record type of organizations, which the app registers when it is ready."""

from __future__ import annotations

from crm.organizations.filters import ORGANIZATION_FIELDS
from crm.organizations.kind import ORGANIZATION
from crm.organizations.schema import OrganizationSchema
from crm.organizations.serializers import OrganizationOut
from crm.organizations.services import prepare_change
from crm.records.types import RecordType

ORGANIZATION_TYPE = RecordType(
    kind=ORGANIZATION,
    schema=OrganizationSchema,
    fields=ORGANIZATION_FIELDS,
    output=OrganizationOut,
    prepare=prepare_change,
)
