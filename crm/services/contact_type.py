"""Contacts as a record type, to be registered when the app is ready."""

from __future__ import annotations

from crm.api.contact_fields import CONTACT_FIELDS
from crm.api.contact_serializers import ContactOut
from crm.services.contact_bulk import prepare_change
from crm.services.contact_kind import CONTACT
from crm.services.contact_schema import ContactSchema
from crm.services.record_types import RecordType

CONTACT_TYPE = RecordType(kind=CONTACT, schema=ContactSchema, fields=CONTACT_FIELDS, output=ContactOut, prepare=prepare_change)
