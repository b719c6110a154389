"""Leads as a record type, to be registered when the app is ready."""

from __future__ import annotations

from crm.api.lead_fields import LEAD_FIELDS
from crm.api.lead_serializers import LeadOut
from crm.services.lead_bulk import prepare_change
from crm.services.lead_kind import LEAD
from crm.services.lead_schema import LeadSchema
from crm.services.record_types import RecordType

LEAD_TYPE = RecordType(kind=LEAD, schema=LeadSchema, fields=LEAD_FIELDS, output=LeadOut, prepare=prepare_change)
