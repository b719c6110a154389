from crm.activities.models import CallLog, FollowUp, LeadActivity
from crm.bulk_jobs.models import BulkJob, Journal
from crm.comments.models import Comment, CommentMention
from crm.contacts.models import Contact, ContactTag, CustomFieldValue
from crm.custom_fields.models import CustomSection
from crm.exports.models import Export, ExportPart
from crm.files.models import Bucket, File
from crm.imports.models import Import, ImportRowError
from crm.leads.models import Lead, LeadProduct, LeadTag, LeadValue, StageChange
from crm.meetings.models import Meeting, MeetingAttendee, VideoSettings
from crm.merging.models import DuplicateDismissal, Merge
from crm.organizations.models import Organization, OrganizationTag, OrganizationValue
from crm.pipelines.models import LostReason, Pipeline, Stage
from crm.products.models import ProductService, ProductServiceValue
from crm.records.models import ConvertedValue, CustomField, FieldValue
from crm.saved_views.models import SavedView
from crm.segments.models import Segment, SegmentMember, SegmentRecord
from crm.tags.models import ContactCategory, Tag
from crm.teams.models import Team, TeamMember
from crm.webhooks.models import Webhook, WebhookDelivery

__all__ = [
    "Bucket",
    "BulkJob",
    "CallLog",
    "Comment",
    "CommentMention",
    "Contact",
    "ContactCategory",
    "ContactTag",
    "ConvertedValue",
    "CustomField",
    "CustomFieldValue",
    "CustomSection",
    "DuplicateDismissal",
    "Export",
    "ExportPart",
    "FieldValue",
    "File",
    "FollowUp",
    "Import",
    "ImportRowError",
    "Journal",
    "Lead",
    "LeadActivity",
    "LeadProduct",
    "LeadTag",
    "LeadValue",
    "LostReason",
    "Meeting",
    "MeetingAttendee",
    "Merge",
    "Organization",
    "OrganizationTag",
    "OrganizationValue",
    "Pipeline",
    "ProductService",
    "ProductServiceValue",
    "SavedView",
    "Segment",
    "SegmentMember",
    "SegmentRecord",
    "Stage",
    "StageChange",
    "Tag",
    "Team",
    "TeamMember",
    "VideoSettings",
    "Webhook",
    "WebhookDelivery",
]
