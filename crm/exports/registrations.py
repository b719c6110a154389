"""The registrations of exports, and the CRM's lists that can be exported; a further list is a line here."""

from __future__ import annotations

from datetime import timedelta

from core.api.routes import protected
from core.jobs import JobWork, PeriodicTask, register
from crm.activities import call_views, follow_up_views
from crm.activities import views as activity_views
from crm.bulk_jobs.under_way import Work, register_work
from crm.comments import views as comment_views
from crm.contacts import views as contact_views
from crm.custom_fields import section_views
from crm.custom_fields import views as field_views
from crm.exports.columns import columns_of
from crm.exports.lists import register_source
from crm.exports.models import Export
from crm.exports.services import formats_of_file, notify_ended, purge_exports, readable_exports
from crm.exports.sources import SOURCES
from crm.exports.views import ExportViewSet
from crm.exports.worker import run
from crm.imports import own_files
from crm.imports import views as import_views
from crm.leads import views as lead_views
from crm.meetings import views as meeting_views
from crm.organizations import views as organization_views
from crm.products import views as product_views
from crm.records.models import CustomField
from crm.segments import views as segment_views
from crm.tags import views as tag_views
from crm.tasks import views as task_views
from crm.teams import views as team_views


def column_names(resource: str) -> list[tuple[str, ...]]:
    """Return the names of each column of a list's export: the header, and of a custom field its key."""
    source = SOURCES[resource]
    return [column.names for column in columns_of(source.listing.output, source.panel)]


protected.register("export", ExportViewSet)
register(JobWork("export", run, model=Export, queue="bulk", task="crm.run_export", ended=notify_ended, while_held=True))
register(PeriodicTask("exports", purge_exports, every=timedelta(hours=1)))
register_work(Work("export", "file", readable_exports, about="resource"))
own_files.export_columns.connect(column_names)
own_files.export_formats.connect(formats_of_file)
register_source("contact", contact_views.ContactViewSet, panel=CustomField.Panel.CONTACT)
register_source("lead", lead_views.LeadViewSet, panel=CustomField.Panel.LEAD)
register_source("organization", organization_views.OrganizationViewSet, panel=CustomField.Panel.ORGANIZATION)
register_source("product-service", product_views.ProductViewSet, panel=CustomField.Panel.PRODUCT_SERVICE)
register_source("contact-category", tag_views.ContactCategoryViewSet)
register_source("tag", tag_views.TagViewSet)
register_source("team", team_views.TeamViewSet)
register_source("segment", segment_views.SegmentViewSet)
register_source("contact/import", import_views.ContactImportViewSet)
register_source("lead/import", import_views.LeadImportViewSet)
register_source("organization/import", import_views.OrganizationImportViewSet)
register_source("custom-field", field_views.CustomFieldViewSet)
register_source("custom-section", section_views.CustomSectionViewSet)
register_source("lead-activity", activity_views.LeadActivityViewSet)
register_source("lead-activity/follow-up", follow_up_views.FollowUpViewSet)
register_source("task", task_views.TaskViewSet)
register_source("comment", comment_views.CommentViewSet)
register_source("calllog", call_views.CallLogViewSet)
register_source("meeting", meeting_views.MeetingViewSet)
