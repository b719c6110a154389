"""The record type of contacts, which the app registers when it is ready."""

from __future__ import annotations

from crm.contacts.bulk import prepare_change
from crm.contacts.filters import CONTACT_FIELDS
from crm.contacts.kind import CONTACT
from crm.contacts.schema import ContactSchema
from crm.contacts.serializers import ContactOut
from crm.records.types import RecordType

CONTACT_TYPE = RecordType(
    kind=CONTACT, schema=ContactSchema, fields=CONTACT_FIELDS, output=ContactOut, prepare=prepare_change
)
