"""The record type of leads, which the app registers when it is ready."""

from __future__ import annotations

from crm.leads.bulk import check_restored, judge_change, prepare_change
from crm.leads.filters import LEAD_FIELDS
from crm.leads.kind import LEAD
from crm.leads.schema import LeadSchema
from crm.leads.serializers import LeadOut
from crm.records.types import RecordType

LEAD_TYPE = RecordType(
    kind=LEAD,
    schema=LeadSchema,
    fields=LEAD_FIELDS,
    output=LeadOut,
    prepare=prepare_change,
    judge=judge_change,
    judge_restored=check_restored,
)
