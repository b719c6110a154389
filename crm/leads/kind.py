"""Leads as a kind of records: their tables and columns."""

from __future__ import annotations

from crm.leads.models import Lead, LeadProduct, LeadTag, LeadValue, StageChange
from crm.records.kinds import Column, RecordKind
from crm.records.models import CustomField

LEAD = RecordKind(
    panel=CustomField.Panel.LEAD,
    model=Lead,
    values=LeadValue,
    link="lead",
    noun="leads",
    singular="lead",
    module="lead",
    columns=(
        Column("status", "status", "field", empty="", group="status"),
        Column(
            "status_changed_at", "statusChangedAt", type="timestamptz", group="status", stamps="status", in_events=False
        ),
        Column("pipeline_id", "pipeline", "beside", group="status"),
        Column("stage_id", "stage", "beside", group="status"),
        Column("lost_reason_id", "lostReason", "beside", group="status"),
        Column("expected_close_at", "expectedCloseAt", "beside", type="timestamptz"),
        Column("source", "source", "field", empty=""),
        Column("value", "value", "field", type="numeric"),
        Column("notes", "notes", "field", empty=""),
        Column("contact_id", "contact", "beside"),
        Column("team_id", "team", "beside"),
        Column("team_member_id", "teamMember", "beside"),
        Column("organization_id", "organization", "beside"),
        Column("first_product", derived=True, updated=False),
    ),
    not_found="LeadNotFound_400",
    tags=LeadTag,
    links=(("tags", LeadTag, "tag_id"), ("productServices", LeadProduct, "product_service_id")),
    histories=(StageChange,),
    made_with=("contact", "organization"),
)
