"""Contacts as a kind of records: their tables and columns."""

from __future__ import annotations

from crm.contacts.models import Contact, ContactTag, CustomFieldValue
from crm.records.kinds import Column, RecordKind
from crm.records.models import CustomField

IDENTITY = ("name", "email", "countryCode", "number")
"""The system fields that are read and shown in ways of their own. All others are by the definitions of their fields."""

CONTACT = RecordKind(
    panel=CustomField.Panel.CONTACT,
    model=Contact,
    values=CustomFieldValue,
    link="contact",
    noun="contacts",
    singular="contact",
    module="contact",
    columns=(
        Column("name", "name", "field", empty=""),
        Column("email", "email", "field"),
        Column("country_code", "countryCode", "field", group="contact_number"),
        Column("number", "number", "field", group="contact_number"),
        Column("contact_number", "contactNumber", group="contact_number"),
        Column("category_id", "category", "beside"),
        Column("organization_id", "organization", "beside"),
        Column("owner_id", "owner", "beside"),
        Column("email_key", derived=True),
        Column("number_key", derived=True),
        Column("sort_name", derived=True, inserted=False, updated=False),
        # A merged contact keeps an unsubscription and a reply, so that nobody writes to it again.
        Column(
            "unsubscribed_at",
            "unsubscribedAt",
            type="timestamptz",
            in_events=False,
            inserted=False,
            updated=False,
            merge_with=min,
        ),
        Column(
            "replied_at",
            "repliedAt",
            type="timestamptz",
            in_events=False,
            inserted=False,
            updated=False,
            merge_with=max,
        ),
    ),
    not_found="ContactNotFound_400",
    exists="ContactAlreadyExists_400",
    unique={"email": "email_key", "number": "number_key"},
    unique_noun="the address or number",
    tags=ContactTag,
    links=(("tags", ContactTag, "tag_id"),),
    made_with=("organization",),
    protected_by=("leads",),
)
