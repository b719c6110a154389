"""The registrations of leads."""

from __future__ import annotations

from django.db.models.functions import Coalesce

from accounts.companies.overview import Measure, register_measure
from core.access import count_usage
from core.api.routes import protected
from core.global_search import Kind, register_kind
from crm.contacts.writer import contacts_recreated
from crm.leads.filters import LEAD_FIELDS
from crm.leads.places import clear_reasons, move_leads
from crm.leads.record_type import LEAD_TYPE
from crm.leads.selectors import live_leads
from crm.leads.views import LeadViewSet
from crm.leads.writes.takeover import take_over_leads
from crm.pipelines.services import before_reasons_deleted, leads_moved
from crm.records.types import register_record_type
from crm.saved_views.lists import ViewedList, keep_views_of

protected.register("lead", LeadViewSet)
register_record_type(LEAD_TYPE)
keep_views_of("lead", ViewedList("lead", LEAD_TYPE.fields, ("table", "board"), LEAD_TYPE.kind))
contacts_recreated.connect(take_over_leads)
leads_moved.connect(move_leads)
before_reasons_deleted.connect(clear_reasons)
count_usage("lead", live_leads)
register_measure(Measure("newLeads", "lead", live_leads, "created_at", place=20))
register_kind(
    Kind(
        "lead",
        "lead",
        lambda actor: live_leads(),
        LEAD_FIELDS.pick("contact.name", "contact.email", "contact.contactNumber"),
        "contact__name",
        Coalesce("stage__name", "status"),
        20,
    )
)
