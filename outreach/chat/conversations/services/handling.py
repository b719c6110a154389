"""Members' actions on conversations. Each locks the conversation's row, so simultaneous ones are serialised."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.members.notices import members_who_may, notify
from accounts.models import Member
from core.errors import NamedError, PermissionLacking, ValidationFailed
from core.events import emit
from core.text.addresses import Phone
from core.types import JsonObject, Values
from crm.contacts.selectors import live_contacts
from crm.files.models import File
from crm.leads.assignment import assign as next_of_team
from crm.leads.schema import closed_statuses
from crm.models import Contact, Lead
from crm.teams.models import Team
from outreach.chat.chat_templates.services import get_template
from outreach.chat.chat_templates.values import check_values, fill, values_for
from outreach.chat.conversations.answerers import check_answers
from outreach.chat.conversations.bots import chatbot_reply
from outreach.chat.conversations.channels import channel_of
from outreach.chat.conversations.incoming import apply, enter, event_payload, identify, stop_outreach
from outreach.chat.conversations.mails import ASSIGNED
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.outgoing import CLOSED as NOT_SENT
from outreach.chat.conversations.outgoing import check_open, check_reachable, send, take_back
from outreach.chat.conversations.people import contact_by, contact_of, lead_of, new_lead
from outreach.chat.conversations.states import CLOSED, HUMAN, QUEUED
from outreach.chat.conversations.targets import answered, keep
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.chat_apps.selectors import is_phone
from outreach.connections.chat_apps.services import get_app
from outreach.messaging.delivery.attachments import described
from outreach.messaging.email_templates.rendering import ValueReader
from outreach.messaging.inbox.models import InboundMessage

MODULE = "chatapp"
NOT_FOUND = "NotFound_404"
TAKEN = "RecordChanged_409"
Author = ConversationMessage.Author
Direction = ConversationMessage.Direction


def not_found() -> NamedError:
    """Return the error for an id that belongs to no conversation of the company."""
    return NamedError(NOT_FOUND, "id: there is no such conversation in this company")


def _locked(id: str) -> Conversation:
    """Return the conversation, locked until the transaction ends. Raises NotFound_404."""
    rows = Conversation.objects.select_for_update(of=("self",)).select_related("chat_app", "contact")
    conversation: Conversation | None = rows.filter(pk=id).first()
    if conversation is None:
        raise not_found()
    return conversation


def _tell(done: str, conversation: Conversation, member_id: str, **values: Any) -> None:
    payload = {**event_payload(conversation), **values}
    emit(f"conversation.{done}", [conversation.pk], payloads={conversation.pk: payload}, actor_id=member_id)


@transaction.atomic
def take_over(*, id: str, member_id: str, instead_of: str | None = None) -> None:
    """Assign the conversation to the member, who answers from now on. A pending reply of a chatbot is not sent.

    A member takes a conversation from another one only with `instead_of`. Raises NotFound_404, and MemberNotFound_404
    for an unknown `instead_of`. Raises RecordChanged_409 if another member has taken it first, or if it is not that
    member's.
    """
    conversation = _locked(id)
    if instead_of is not None:
        _check_theirs(conversation, instead_of)
    _assign_to(conversation, member_id, instead_of)
    keep(conversation)


def _check_theirs(conversation: Conversation, member_id: str) -> None:
    if not Member.objects.filter(pk=member_id).exists():
        raise NamedError("MemberNotFound_404", f"insteadOf: there is no member {member_id} in this company")
    # "Instead of" names whom the page showed: somebody else may have taken it since.
    if conversation.assignee_id != member_id:
        raise NamedError(TAKEN, f"insteadOf: {member_id} does not have the conversation; look who does")


def _assign_to(conversation: Conversation, member_id: str, instead_of: str | None) -> None:
    has_it = conversation.assignee_id if conversation.state == HUMAN else None
    if has_it == member_id:
        return
    if has_it is not None and has_it != instead_of:
        raise NamedError(TAKEN, "id: another member answers; take it over instead of them, or ask them")
    # Before the member answers: the person should not hear two voices.
    take_back(conversation, member_id)
    enter(conversation, "take")
    conversation.assignee_id = member_id
    conversation.snoozed_until = None
    _tell("claimed", conversation, member_id)


@transaction.atomic
def release(*, id: str, member_id: str) -> None:
    """Give the conversation back to its chatbot, or to the queue if none continues.

    Raises NotFound_404, and InvalidRequest_400 for one that nobody has.
    """
    conversation = _locked(id)
    before = conversation.state
    enter(conversation, "release")
    conversation.assignee_id = None
    # The chatbot starts again: its memory is older than the member's answers.
    conversation.bot = {}
    said = chatbot_reply.first(conversation, None)
    if said is None or said.hand_over:
        enter(conversation, "hand_over")
        if before == QUEUED:
            conversation.queued_at = conversation.queued_at or timezone.now()
    else:
        apply(conversation, said)
    keep(conversation)
    _tell("released", conversation, member_id)


@transaction.atomic
def assign(*, id: str, member_id: str, assignee: str | None, team: str | None, by_rule: bool = False) -> None:
    """Assign the conversation to a member or a team, for which it then waits. Without both it waits for anybody.

    With `by_rule` the team's rule for leads chooses the member; if it chooses none, it waits for the team. Raises
    NotFound_404, MemberNotFound_404, TeamNotFound_400, and InvalidRequest_400 for a member who may not answer.
    """
    conversation = _locked(id)
    if assignee is not None:
        check_answers(assignee, conversation.channel)
    if team is not None and not Team.objects.filter(pk=team).exists():
        raise NamedError("TeamNotFound_400", "team: there is no such team in this company")
    take_back(conversation, member_id)
    if conversation.state != QUEUED:
        enter(conversation, "queue")
    if team is not None:
        conversation.team_id = team
    if by_rule and assignee is None and conversation.team_id is not None:
        # The rule must not choose a member who cannot open the conversation.
        able = {member.pk for member in members_who_may(channel_of(conversation).module, "POST")}
        [assignee] = next_of_team([conversation.team_id], closed_statuses(), among=able)
    conversation.assignee_id = assignee
    keep(conversation)
    _tell("assigned", conversation, member_id, team=conversation.team_id)
    # Nobody is notified of what they did themselves.
    if assignee is not None and assignee != member_id:
        receiver = Member.objects.filter(pk=assignee).first()
        notify(ASSIGNED.key, {"conversation": conversation}, members=[receiver], about=("conversation", id))


@transaction.atomic
def snooze(*, id: str, until: datetime | None) -> None:
    """Snooze the conversation until this time, or until the person writes. None: wake it.

    Raises NotFound_404, and ValidationFailed for a past time.
    """
    if until is not None and until <= timezone.now():
        raise ValidationFailed("until is over", "until: a time that is still to come, or null")
    conversation = _locked(id)
    if until is not None and conversation.state == CLOSED:
        raise NamedError("InvalidRequest_400", "id: the conversation is closed; it rests already")
    conversation.snoozed_until = until
    keep(conversation)


@transaction.atomic
def close(*, id: str, member_id: str) -> None:
    """End the conversation until the person writes again. Raises NotFound_404 and InvalidRequest_400."""
    conversation = _locked(id)
    take_back(conversation, member_id)
    enter(conversation, "close")
    conversation.snoozed_until = None
    conversation.unread = 0
    _read_mail(id)
    keep(conversation)
    _tell("closed", conversation, member_id)


@transaction.atomic
def reopen(*, id: str, member_id: str) -> None:
    """Reopen a closed conversation, which then waits for a member. Raises NotFound_404 and InvalidRequest_400."""
    conversation = _locked(id)
    if conversation.state != CLOSED:
        raise NamedError("InvalidRequest_400", f"id: the conversation is {conversation.state}, and not closed")
    enter(conversation, "queue")
    keep(conversation)
    _tell("reopened", conversation, member_id)


@transaction.atomic
def mark_read(*, id: str, is_read: bool = True) -> None:
    """Mark the conversation as read, or as unread. Raises NotFound_404."""
    conversation = _locked(id)
    conversation.unread = 0 if is_read else max(conversation.unread, 1)
    conversation.save(update_fields=("unread", "updated_at"))
    if is_read:
        _read_mail(id)


def _read_mail(id: str) -> None:
    """Mark the received mails of the conversation as read."""
    mails = ConversationMessage.objects.filter(conversation_id=id, inbound__isnull=False).values("inbound")
    now = timezone.now()
    InboundMessage.objects.filter(pk__in=mails, read_at=None).update(read_at=now, updated_at=now)


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
    conversation = _locked(id)
    is_visitor = conversation.channel == Conversation.Channel.WIDGET
    if (email or phone or name) and not is_visitor:
        raise NamedError("InvalidRequest_400", "contact: email, phone and name are for a website's visitor")
    if (email or phone or name) and contact is not None:
        raise NamedError("InvalidRequest_400", "contact: send a contact, or email, phone and name, but not both")
    if contact is not None:
        new_contact = _chosen(conversation, contact, may_read=may_read)
    elif is_visitor and (email or phone or (name and conversation.contact_id is None)):
        if not may_create:
            raise PermissionLacking("contact.POST", field="contact")
        number = phone.e164 if phone else ""
        new_contact = contact_by(name=name or conversation.name, email=email, phone=number, member_id=member_id)
    elif conversation.chat_app_id is None:
        raise NamedError("InvalidRequest_400", "contact: choose a contact, or enter an email address or phone number")
    else:
        new_contact = contact_of(conversation.address, conversation.name, member_id)
    if conversation.contact_id is None:
        identify(conversation, new_contact, member_id)
        _confirmed(conversation)
        keep(conversation)
        _tell("identified", conversation, member_id)
        return
    if new_contact.pk != conversation.contact_id:
        conversation.contact = new_contact
        # The lead belongs to the former contact.
        conversation.lead = lead_of(new_contact, member_id) if is_visitor else None
    _confirmed(conversation)
    keep(conversation)


def _confirmed(conversation: Conversation) -> None:
    """Count the last message as the contact's reply: a member says that the contact wrote it."""
    if conversation.last_inbound_at is not None:
        stop_outreach(conversation, conversation.last_inbound_at)


def _chosen(conversation: Conversation, id: str, *, may_read: bool) -> Contact:
    # A visitor has no address to compare, and may have named somebody else's.
    is_visitor = conversation.channel == Conversation.Channel.WIDGET
    if is_visitor and not may_read:
        raise PermissionLacking("contact.GET", field="contact")
    contact: Contact | None = live_contacts().filter(pk=id).first()
    if contact is None:
        raise NamedError("ContactNotFound_400", "contact: there is no such contact in this company")
    # A wrong contact would get the person's messages, and their consent.
    if not is_visitor and conversation.address not in (contact.contact_number, (contact.email or "").lower()):
        detail = f"contact: has not the address of the conversation, {conversation.address}"
        raise NamedError("InvalidRequest_400", detail)
    return contact


@transaction.atomic
def set_lead(*, id: str, member_id: str, lead: str | None) -> None:
    """Set the conversation's lead, one of the contact's. None: create a new one.

    Raises NotFound_404, LeadNotFound_400, and the errors of the company's rules for leads.
    """
    conversation = _locked(id)
    if conversation.contact is None:
        raise NamedError("InvalidRequest_400", "lead: the conversation has no contact yet; say who writes first")
    if lead is None:
        lead_id = new_lead(conversation.contact, member_id)
        conversation.lead_id = lead_id
    else:
        rows = Lead.objects.filter(pk=lead, contact_id=conversation.contact_id, is_deleted=False)
        if not rows.exists():
            raise NamedError("LeadNotFound_400", "lead: the contact has no such lead")
        conversation.lead_id = lead
    keep(conversation)


@transaction.atomic
def add_note(*, id: str, member_id: str, text: str) -> ConversationMessage:
    """Write a note, which members alone see. Raises NotFound_404."""
    conversation = _locked(id)
    note: ConversationMessage = ConversationMessage.objects.create(
        conversation=conversation,
        direction=Direction.NOTE,
        author=Author.MEMBER,
        member_id=member_id,
        text=text,
        happened_at=timezone.now(),
    )
    return note


@transaction.atomic
def answer(
    *,
    id: str,
    member_id: str,
    text: str = "",
    template: str | None = None,
    values: Mapping[str, str] | None = None,
    file: str | None = None,
) -> ConversationMessage:
    """Answer the person, with free text, a file or an approved template. The member then has the conversation.

    Raises NotFound_404, and RecordChanged_409 if another member has it. Raises NoMessagesSent_400 if no message is
    allowed, such as free text after 24 hours. Raises ChatAppTemplateNotFound_404, InvalidChatAppTemplate_400,
    InvalidVariables_400, and FileNotFound_400 for a missing file.
    """
    conversation = _locked(id)
    # Before the member takes it: a refused answer must not change who has the conversation.
    check_reachable(conversation, template=template is not None)
    files: Sequence[Values] = ()
    if file is not None:
        check_open(conversation)
        files = described([file], "file", unfit=NOT_SENT)
        content, chat_template = (
            channel_of(conversation).file_content(conversation, File.objects.get(pk=file), text),
            None,
        )
    elif template is None:
        check_open(conversation)
        content, chat_template = channel_of(conversation).content(conversation, text), None
    else:
        chat_template = _approved(template, conversation)
        check_values(chat_template, values or {})
        if conversation.contact is None:
            raise RuntimeError("a conversation by a chat app has no contact")
        filled = fill(chat_template, values_for(chat_template, conversation.contact, ValueReader.load(), values))
        if filled.missing:
            raise NamedError("InvalidVariables_400", f"values.{filled.missing[0]}: has no value for this contact")
        content, text = dict(filled.content), filled.text
    _assign_to(conversation, member_id, None)
    said: JsonObject = {"content": content, "text": text, "template": chat_template, "files": files}
    message = send(conversation, author=Author.MEMBER, member_id=member_id, **said)
    conversation.unread = 0
    _read_mail(conversation.pk)
    answered(conversation)
    keep(conversation)
    _tell("answered", conversation, member_id, message=message.pk)
    return message


def _approved(id: str, conversation: Conversation) -> ChatTemplate:
    chat_template = get_template(id, "template")
    if chat_template.app_id != conversation.chat_app_id or chat_template.status != ChatTemplate.Status.APPROVED:
        raise NamedError("InvalidChatAppTemplate_400", "template: it is none that is approved for this chat app")
    return chat_template


@transaction.atomic
def begin(
    *, member_id: str, contact: str, app: str, template: str, values: Mapping[str, str] | None = None
) -> Conversation:
    """Write to a contact first, by an approved template. Raises ContactNotFound_400, NoRecipientsSpecified_400 for one
    without a number, ChatAppNotFound_404, and the errors of `answer`."""
    recipient = live_contacts().filter(pk=contact).first()
    if recipient is None:
        raise NamedError("ContactNotFound_400", "contact: there is no such contact in this company")
    if not is_phone(recipient.contact_number):
        raise NamedError("NoRecipientsSpecified_400", "contact: has no number that a chat can go to")
    chat_app = get_app(app, "app")
    place = {"channel": Conversation.Channel.CHATAPP, "chat_app": chat_app, "address": recipient.contact_number}
    lead = lead_of(recipient, member_id)
    fresh = Conversation(
        state=CLOSED,
        contact=recipient,
        name=recipient.name[:200],
        lead=lead,
        team_id=lead.team_id if lead else None,
        **place,
    )
    # The person may write at the same moment.
    Conversation.objects.bulk_create([fresh], ignore_conflicts=True)
    conversation: Conversation = Conversation.objects.get(**place)
    if conversation.pk == fresh.pk:
        _tell("created", conversation, member_id)
    elif conversation.contact_id != recipient.pk:
        Conversation.objects.filter(pk=conversation.pk).update(contact=recipient)
    answer(id=conversation.pk, member_id=member_id, template=template, values=values)
    return conversation
