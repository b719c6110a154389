"""Contact and lead of a conversation, looked up or created."""

from __future__ import annotations

from django.db import connection, transaction

from accounts.models import Member
from core.errors import ApiError, NamedError
from core.tenancy import company_id
from core.text.addresses import BadAddress, read_phone
from core.types import JsonObject
from crm.contacts.selectors import live_contacts, person_condition
from crm.contacts.services import create_contact
from crm.leads.relations import Relations
from crm.leads.services import create_lead
from crm.models import Contact, Lead

CLOSED_LEADS = ("won", "lost")


def acting_member(preferred: str | None) -> str:
    """Return the author of records that the system creates: the given member, or an owner."""
    if preferred is not None:
        return preferred
    owner = Member.objects.filter(status=Member.Status.OWNER).order_by("pk").values_list("pk", flat=True).first()
    if owner is None:
        raise NamedError("MemberNotFound_404", "the company has no owner")
    return str(owner)


def get_or_create_by_phone(phone: str, name: str, member_id: str) -> Contact:
    """Return the live contact with the number, the oldest; create one if there is none.

    The person is never turned away: if the company's rules for contacts refuse the known data, the contact has only the
    number and the name.
    """
    # The oldest, so that repeated messages always find the same one.
    existing = live_contacts().filter(contact_number=phone).order_by("created_at", "pk").first()
    if existing is not None:
        return existing
    form = {"name": name[:200] or phone, **_split(phone)}
    try:
        # A savepoint: what the rules refuse must not undo the message.
        with transaction.atomic():
            saved = create_contact(actor_id=member_id, form_data=form, drop_invalid=True, existing_error=False)
        return Contact.objects.get(pk=saved.id)
    # Required fields of the company cannot be asked for in a chat; the message counts more.
    except ApiError:
        code, number = _split(phone).values()
        contact: Contact = Contact.objects.create(
            name=form["name"],
            country_code=code,
            number=number,
            contact_number=phone,
            created_by_id=member_id,
            updated_by_id=member_id,
        )
        return contact


def create_named_contact(name: str, address: str, member_id: str) -> Contact:
    """Create the contact of a person who has only a name, or only an address that is neither number nor mail."""
    contact_name = name[:200] or address
    try:
        # The savepoint keeps the message storable if the company's rules refuse the contact.
        with transaction.atomic():
            saved = create_contact(actor_id=member_id, form_data={"name": contact_name}, existing_error=False)
        return Contact.objects.get(pk=saved.id)
    except ApiError:  # the company's rules ask for more than is known
        contact: Contact = Contact.objects.create(name=contact_name, created_by_id=member_id, updated_by_id=member_id)
        return contact


def get_or_create_by_address(
    *, name: str, email: str = "", phone: str = "", member_id: str, drop_invalid: bool = False
) -> Contact:
    """Return the oldest live contact with the address or the number (E.164); create one if there is none.

    A new one may lack values that the company requires. A number that belongs to a contact with another address does
    not count; with `drop_invalid` it is left out of the new contact. Raises the errors of create_contact.
    """
    lock_people(email, phone)
    contact = _contact_with(email, phone)
    if contact is not None:
        return contact
    form: JsonObject = {"name": name[:200] or email or phone}
    if email:
        form["email"] = email
    if phone:
        form["number"] = phone
    saved = create_contact(
        actor_id=member_id,
        form_data=form,
        drop_invalid=drop_invalid,
        existing_error=False,
        drop_taken_number=drop_invalid,
        allow_missing=True,
    )
    return Contact.objects.get(pk=saved.id)


def lock_people(email: str, phone: str) -> None:
    """Lock an address and a number until the transaction ends: two at once get one contact."""
    # Sorted, so that two callers take the locks in one order.
    for address in sorted(filter(None, (email.lower(), phone))):
        lock_text(f"leadwright.person:{company_id()}:{address}")


def lock_text(text: str) -> None:
    """Lock a text until the transaction ends, for what has no row to lock yet."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [text])


def _contact_with(email: str, phone: str) -> Contact | None:
    matches = live_contacts().filter(email__iexact=email) if email else live_contacts().none()
    held = live_contacts().none()
    if phone:
        held = live_contacts().filter(person_condition(email), contact_number=phone)
    for rows in (matches, held):
        if (contact := rows.order_by("created_at", "pk").first()) is not None:
            return contact
    return None


def _split(phone: str) -> dict[str, str]:
    try:
        phone_parts = read_phone(None, phone)
    except BadAddress:
        return {"countryCode": "", "number": phone.removeprefix("+")}
    return {"countryCode": phone_parts.country_code, "number": phone_parts.number}


def lead_of(contact: Contact, member_id: str) -> Lead | None:
    """Return the contact's newest open lead; create one, which the team's rule assigns, if there is none.

    None if the company's rules or its plan refuse a lead: the conversation continues without.
    """
    rows = Lead.objects.filter(contact=contact, is_deleted=False).exclude(status__in=CLOSED_LEADS)
    lead: Lead | None = rows.order_by("-created_at", "-pk").first()
    if lead is not None:
        return lead
    try:
        return Lead.objects.filter(pk=new_lead(contact, member_id)).first()
    except ApiError:
        return None


@transaction.atomic
def new_lead(contact: Contact, member_id: str) -> str:
    """Create a lead of the contact, which the team's rule assigns. Return its id. Raises the errors of create_lead."""
    relations = Relations(contact=contact.pk)
    return create_lead(actor_id=member_id, form_data={}, relations=relations, drop_invalid=True).id
