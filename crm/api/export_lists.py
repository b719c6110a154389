"""The lists of the CRM that can be exported: a new one is a line here."""

from __future__ import annotations

from crm.api import (
    activity_views,
    call_views,
    contact_views,
    field_views,
    follow_up_views,
    import_views,
    label_views,
    lead_views,
    meeting_views,
    product_views,
    section_views,
    segment_views,
    team_views,
)
from crm.models import CustomField
from crm.services.export_sources import register_source


def register_exports() -> None:
    """Called when the app is ready."""
    register_source("contact", contact_views.Contacts, panel=CustomField.Panel.CONTACT)
    register_source("lead", lead_views.Leads, panel=CustomField.Panel.LEAD)
    register_source("product-service", product_views.Products, panel=CustomField.Panel.PRODUCT_SERVICE)
    register_source("contact-category", label_views.ContactCategoryViewSet)
    register_source("tag", label_views.TagViewSet)
    register_source("team", team_views.Teams)
    register_source("segment", segment_views.Segments)
    register_source("contact/import", import_views.ContactImports)
    register_source("lead/import", import_views.LeadImports)
    register_source("custom-field", field_views.CustomFields)
    register_source("custom-section", section_views.CustomSections)
    register_source("lead-activity", activity_views.Activities)
    register_source("lead-activity/follow-up", follow_up_views.FollowUps)
    register_source("calllog", call_views.Calls)
    register_source("meeting", meeting_views.Meetings)
