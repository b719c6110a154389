from crm.models.contacts import Contact, ContactCategory, ContactTag, Tag
from crm.models.fields import CustomField, CustomFieldValue, CustomSection, FieldValue, LeadValue, ProductServiceValue
from crm.models.files import File
from crm.models.imports import Import, ImportRowError
from crm.models.leads import Lead, LeadProduct, LeadTag, ProductService
from crm.models.teams import Segment, SegmentRecord, Team, TeamMember

__all__ = [
    "Contact",
    "ContactCategory",
    "ContactTag",
    "CustomField",
    "CustomFieldValue",
    "CustomSection",
    "FieldValue",
    "File",
    "Import",
    "ImportRowError",
    "Lead",
    "LeadProduct",
    "LeadTag",
    "LeadValue",
    "ProductService",
    "ProductServiceValue",
    "Segment",
    "SegmentRecord",
    "Tag",
    "Team",
    "TeamMember",
]
