"""Contact and lead of a booking: the contact, and the lead if the page requires it, are looked up or created.

No booking fails for lack of them.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Func, TextField, Value

from accounts.companies.country import default_country
from core.errors import ApiError
from core.text.addresses import BadAddress, Phone, read_phone
from crm.contacts.models import EMAIL_IDENTITY, Contact
from crm.contacts.selectors import live_contacts, person_condition
from crm.contacts.services import create_contact
from crm.leads.models import Lead
from crm.leads.relations import Relations
from crm.leads.services import create_lead
from outreach.site.booking.models import BookingPage

CLOSED_LEADS = ("won", "lost")


class EmailIdentity(Func):
    """The indexed form of contacts' addresses. Its SQL contains the address several times."""

    template = EMAIL_IDENTITY
    output_field = TextField()

    def as_sql(self, *args: Any, **options: Any) -> Any:
        sql, params = super().as_sql(*args, **options)
        return sql, [*params] * sql.count("%s")


def contact_of(email: str, name: str, phone: str, member_id: str) -> Contact | None:
    """Return the contact with the address, or else one without address that has the number, or a new one.

    The oldest live contact is returned. Values of an existing contact stay, since anybody can write any address. A
    number that belongs to a contact with another address is left out. None if the company's rules or its plan refuse a
    new contact.
    """
    # The indexed form finds candidates; iexact decides, since several addresses may share that form.
    same = live_contacts().filter(email_identity=EmailIdentity(Value(email)), email__iexact=email)
    # The oldest, so that repeated bookings find the same contact.
    contact: Contact | None = same.order_by("created_at", "pk").first()
    if contact is not None:
        return contact
    number = _number(phone)
    phone_fields = {"countryCode": number.country_code, "number": number.number} if number else {}
    form = {"name": name[:200], "email": email, **phone_fields}
    try:
        # A savepoint: what the company's rules refuse must not undo the booking.
        with transaction.atomic():
            saved = create_contact(actor_id=member_id, form_data=form, drop_invalid=True, drop_taken_number=True)
    except ApiError:
        if number is None:
            return None
        # Not a contact with another address, whose data a stranger would come to by a number.
        return live_contacts().filter(person_condition(email), number_key=number.e164).first()
    return Contact.objects.filter(pk=saved.id).first()


def _number(phone: str) -> Phone | None:
    try:
        return read_phone(None, phone, default_country()) if phone else None
    except BadAddress:
        return None


def lead_of(page: BookingPage, contact: Contact, member_id: str) -> Lead | None:
    """Return the contact's newest open lead. If there is none, create one of the page's team, for the member."""
    rows = Lead.objects.filter(contact=contact, is_deleted=False).exclude(status__in=CLOSED_LEADS)
    lead: Lead | None = rows.order_by("-created_at", "-pk").first()
    if lead is not None:
        return lead
    relations = Relations(contact=contact.pk, team=page.team_id or None, team_member=member_id)
    form = {"source": page.lead_source} if page.lead_source else {}
    try:
        with transaction.atomic():
            saved = create_lead(actor_id=member_id, form_data=form, relations=relations, drop_invalid=True)
    except ApiError:
        return None
    return Lead.objects.filter(pk=saved.id).first()
