"""The contact and the lead of a conversation, as members set them."""

from __future__ import annotations

from django.db import transaction

from core.errors import NamedError, PermissionLacking
from core.text.addresses import Phone
from crm.contacts.selectors import live_contacts
from crm.models import Contact, Lead
from outreach.chat.conversations.incoming import identify
from outreach.chat.conversations.models import Conversation
from outreach.chat.conversations.people import get_or_create_by_address, get_or_create_by_phone, lead_of, new_lead
from outreach.chat.conversations.replies import confirm, take_reply_back
from outreach.chat.conversations.services.rows import emit_action, lock_conversation
from outreach.chat.conversations.targets import save_with_target


@transaction.atomic
def set_contact(
    *,
    id: str,
    member_id: str,
    contact: str | None = None,
    email: str = "",
    phone: Phone | None = None,
    name: str = "",
    may_create: bool = True,
    may_read: bool = True,
) -> None:
    """Set the person: a contact with the address of the conversation, or any contact for a website's visitor.

    Without `contact`, a number at a chat app finds its contact, or creates one. A visitor's contact is found by
    `email` or `phone`; without a match one is created, which may have a name alone.

    Raises NotFound_404, ContactNotFound_400, and InvalidRequest_400 for another address or values of no visitor. Raises
    UnauthorizedAction_403 without the right to create or read the contact, and the errors of create_contact.
    """
    conversation = lock_conversation(id)
    is_visitor = conversation.channel == Conversation.Channel.WIDGET
    if (email or phone or name) and not is_visitor:
        raise NamedError("InvalidRequest_400", "email, phone and name are for a website's visitor", field="contact")
    if (email or phone or name) and contact is not None:
        raise NamedError(
            "InvalidRequest_400", "send a contact, or email, phone and name, but not both", field="contact"
        )
    if contact is not None:
        new_contact = _get_contact(conversation, contact, may_read=may_read)
    elif is_visitor and (email or phone or (name and conversation.contact_id is None)):
        if not may_create:
            raise PermissionLacking("contact.POST", field="contact")
        number = phone.e164 if phone else ""
        new_contact = get_or_create_by_address(
            name=name or conversation.name, email=email, phone=number, member_id=member_id
        )
    elif conversation.chat_app_id is None:
        raise NamedError(
            "InvalidRequest_400", "choose a contact, or enter an email address or phone number", field="contact"
        )
    else:
        new_contact = get_or_create_by_phone(conversation.address, conversation.name, member_id)
    if conversation.contact_id is None:
        identify(conversation, new_contact, member_id)
        confirm(conversation)
        save_with_target(conversation)
        emit_action("identified", conversation, member_id)
        return
    former = conversation.contact_id
    is_corrected = conversation.contact_confirmed and new_contact.pk != former
    if new_contact.pk != former:
        conversation.contact = new_contact
        # The lead belongs to the former contact.
        conversation.lead = lead_of(new_contact, member_id) if is_visitor else None
    confirm(conversation)
    save_with_target(conversation)
    if is_corrected:
        take_reply_back(former, conversation)


def _get_contact(conversation: Conversation, id: str, *, may_read: bool) -> Contact:
    # A visitor has no address to compare, and may have named somebody else's.
    is_visitor = conversation.channel == Conversation.Channel.WIDGET
    if is_visitor and not may_read:
        raise PermissionLacking("contact.GET", field="contact")
    contact: Contact | None = live_contacts().filter(pk=id).first()
    if contact is None:
        raise NamedError("ContactNotFound_400", "there is no such contact in this company", field="contact")
    # A wrong contact would get the person's messages, and their consent.
    if not is_visitor and conversation.address not in (contact.contact_number, (contact.email or "").lower()):
        detail = f"has not the address of the conversation, {conversation.address}"
        raise NamedError("InvalidRequest_400", detail, field="contact")
    return contact


@transaction.atomic
def set_lead(*, id: str, member_id: str, lead: str | None) -> None:
    """Set the conversation's lead, one of the contact's. None: create a new one.

    Raises NotFound_404, LeadNotFound_400, and the errors of the company's rules for leads.
    """
    conversation = lock_conversation(id)
    if conversation.contact is None:
        raise NamedError("InvalidRequest_400", "choose a contact for the conversation first", field="lead")
    if lead is None:
        lead_id = new_lead(conversation.contact, member_id)
        conversation.lead_id = lead_id
    else:
        rows = Lead.objects.filter(pk=lead, contact_id=conversation.contact_id, is_deleted=False)
        if not rows.exists():
            raise NamedError("LeadNotFound_400", "the contact has no such lead", field="lead")
        conversation.lead_id = lead
    save_with_target(conversation)
