from crm.models.activities import CallLog, FollowUp, LeadActivity
from crm.models.bulk_jobs import BulkJob, Journal
from crm.models.contacts import Contact, ContactTag, CustomFieldValue
from crm.models.exports import Export
from crm.models.fields import ConvertedValue, CustomSection
from crm.models.files import File
from crm.models.imports import Import, ImportRowError
from crm.models.leads import Lead, LeadProduct, LeadTag, LeadValue
from crm.models.meetings import Meeting, MeetingAttendee
from crm.models.merging import DuplicateDismissal, Merge
from crm.models.products import ProductService, ProductServiceValue
from crm.models.records import CustomField, FieldValue
from crm.models.segments import Segment, SegmentRecord
from crm.models.tags import ContactCategory, Tag
from crm.models.teams import Team, TeamMember

__all__ = [
    "BulkJob",
    "CallLog",
    "Contact",
    "ContactCategory",
    "ContactTag",
    "ConvertedValue",
    "CustomField",
    "CustomFieldValue",
    "CustomSection",
    "DuplicateDismissal",
    "Export",
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
    "Meeting",
    "MeetingAttendee",
    "Merge",
    "ProductService",
    "ProductServiceValue",
    "Segment",
    "SegmentRecord",
    "Tag",
    "Team",
    "TeamMember",
]
