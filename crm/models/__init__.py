from crm.models.contacts import Contact, ContactCategory, ContactTag, Tag
from crm.models.fields import CustomField, CustomFieldValue
from crm.models.files import File
from crm.models.imports import Import, ImportRowError

__all__ = ["Contact", "ContactCategory", "ContactTag", "CustomField", "CustomFieldValue", "File", "Import", "ImportRowError", "Tag"]
