from crm.models.activities import CallLog, FollowUp, LeadActivity, Meeting, MeetingAttendee
from crm.models.changes import BulkJob, DuplicateDismissal, Export, Journal, Merge
from crm.models.contacts import Contact, ContactCategory, ContactTag, Tag
from crm.models.fields import ConvertedValue, CustomField, CustomFieldValue, CustomSection, FieldValue, LeadValue, ProductServiceValue
from crm.models.files import File
from crm.models.imports import Import, ImportRowError
from crm.models.leads import Lead, LeadProduct, LeadTag, ProductService
from crm.models.teams import Segment, SegmentRecord, Team, TeamMember

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
