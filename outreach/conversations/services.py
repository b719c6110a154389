"""What members do with conversations: each holds the conversation's row, so that of two at once one is second."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Member
from core.errors import NamedError, ValidationFailed
from core.events import emit
from crm.contacts.selectors import live_contacts
from crm.teams.models import Team
from outreach.chat_apps.models import ChatTemplate
from outreach.chat_apps.selectors import is_phone
from outreach.chat_apps.services import get_app
from outreach.chat_templates.filling import fill, values_for
from outreach.chat_templates.services import get_template
from outreach.conversations.bots import ask
from outreach.conversations.machine import CLOSED, HUMAN, QUEUED
from outreach.conversations.models import Conversation, ConversationMessage
from outreach.conversations.people import lead_of
from outreach.conversations.receiving import apply, enter
from outreach.conversations.saying import check_open, check_reachable, say, take_back, text_content
from outreach.email_templates.rendering import ValueReader

MODULE = "chatapp"
NOT_FOUND = ("NotFound_404", "id: there is no such conversation in this company")
TAKEN = "RecordChanged_409"
Author = ConversationMessage.Author
Direction = ConversationMessage.Direction
PRESENT = (Member.Status.OWNER, Member.Status.ACCEPTED)


def _locked(id: str) -> Conversation:
    """Return the conversation, locked until the transaction ends. Raises NotFound_404."""
    rows = Conversation.objects.select_for_update(of=("self",)).select_related("chat_app", "contact")
    found: Conversation | None = rows.filter(pk=id).first()
    if found is None:
        raise NamedError(*NOT_FOUND)
    return found


def _tell(done: str, conversation: Conversation, member_id: str, **values: Any) -> None:
    payload = {
        "contact": conversation.contact_id,
        "lead": conversation.lead_id,
        "channel": conversation.channel,
        "state": conversation.state,
        "assignee": conversation.assignee_id,
        **values,
    }
    emit(f"conversation.{done}", [conversation.pk], payloads={conversation.pk: payload}, actor_id=member_id)


@transaction.atomic
def take_over(*, id: str, member_id: str, instead_of: str | None = None) -> None:
    """Let the member answer from now on. What a chatbot was about to say does not go.

    Who has it already is asked first: another member takes it only `instead_of` them. Raises NotFound_404 and
    RecordChanged_409, for somebody who was a moment later.
    """
    conversation = _locked(id)
    _take(conversation, member_id, instead_of)
    conversation.save()


def _take(conversation: Conversation, member_id: str, instead_of: str | None) -> None:
    has_it = conversation.assignee_id if conversation.state == HUMAN else None
    if has_it == member_id:
        return
    if has_it is not None and has_it != instead_of:
        raise NamedError(TAKEN, "id: another member answers; take it over instead of them, or ask them")
    take_back(conversation, member_id)
    enter(conversation, "take")
    conversation.assignee_id = member_id
    conversation.snoozed_until = None
    _tell("claimed", conversation, member_id)


@transaction.atomic
def release(*, id: str, member_id: str) -> None:
    """Give the conversation back to its chatbot, or to the queue where there is none that goes on.

    Raises NotFound_404, and InvalidRequest_400 for one that nobody has.
    """
    conversation = _locked(id)
    before = conversation.state
    enter(conversation, "release")
    conversation.assignee_id, conversation.bot = None, {}
    said = ask(conversation, None)
    if said is None or said.hand_over:
        enter(conversation, "hand_over")
        if before == QUEUED:
            conversation.queued_at = conversation.queued_at or timezone.now()
    else:
        apply(conversation, said)
    conversation.save()
    _tell("released", conversation, member_id)


@transaction.atomic
def assign(*, id: str, member_id: str, assignee: str | None, team: str | None) -> None:
    """Say whose the conversation is: it waits for them. Without both it waits for anybody.

    Raises NotFound_404, MemberNotFound_404, TeamNotFound_400.
    """
    conversation = _locked(id)
    if assignee is not None and not Member.objects.filter(pk=assignee, status__in=PRESENT).exists():
        raise NamedError("MemberNotFound_404", "assignee: there is no such member in this company")
    if team is not None and not Team.objects.filter(pk=team).exists():
        raise NamedError("TeamNotFound_400", "team: there is no such team in this company")
    take_back(conversation, member_id)
    if conversation.state != QUEUED:
        enter(conversation, "queue")
    conversation.assignee_id = assignee
    if team is not None:
        conversation.team_id = team
    conversation.save()
    _tell("assigned", conversation, member_id)


@transaction.atomic
def snooze(*, id: str, until: datetime | None) -> None:
    """Let the conversation rest until then, or until the person writes. None: it rests no more.

    Raises NotFound_404, and ValidationFailed for a time that is over.
    """
    if until is not None and until <= timezone.now():
        raise ValidationFailed("until is over", "until: a time that is still to come, or null")
    conversation = _locked(id)
    conversation.snoozed_until = until
    conversation.save()


@transaction.atomic
def close(*, id: str, member_id: str) -> None:
    """End the conversation until the person writes again. Raises NotFound_404 and InvalidRequest_400."""
    conversation = _locked(id)
    take_back(conversation, member_id)
    enter(conversation, "close")
    conversation.snoozed_until, conversation.unread = None, 0
    conversation.save()
    _tell("closed", conversation, member_id)


@transaction.atomic
def mark_read(*, id: str) -> None:
    """Note that what came in was read. Raises NotFound_404."""
    if not Conversation.objects.filter(pk=id).update(unread=0):
        raise NamedError(*NOT_FOUND)


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
    *, id: str, member_id: str, text: str = "", template: str | None = None, values: Mapping[str, str] | None = None
) -> ConversationMessage:
    """Answer the person, with free words or an approved template. Who answers has the conversation.

    Raises NotFound_404; RecordChanged_409 where another member has it; NoMessagesSent_400 where nothing may go, such as
    free words after 24 hours; ChatAppTemplateNotFound_404; InvalidChatAppTemplate_400; InvalidVariables_400.
    """
    conversation = _locked(id)
    check_reachable(conversation, template=template is not None)
    if template is None:
        check_open(conversation)
        content, found = text_content(text), None
    else:
        found = _approved(template, conversation)
        filled = fill(found, values_for(found, conversation.contact, ValueReader.load(), values))
        if filled.missing:
            raise NamedError("InvalidVariables_400", f"values.{filled.missing[0]}: has no value for this contact")
        content, text = dict(filled.content), filled.text
    _take(conversation, member_id, None)
    message = say(conversation, content=content, text=text, author=Author.MEMBER, member_id=member_id, template=found)
    conversation.unread = 0
    conversation.answered_at = conversation.answered_at or timezone.now()
    conversation.save()
    _tell("answered", conversation, member_id, message=message.pk)
    return message


def _approved(id: str, conversation: Conversation) -> ChatTemplate:
    found = get_template(id, "template")
    if found.app_id != conversation.chat_app_id or found.status != ChatTemplate.Status.APPROVED:
        raise NamedError("InvalidChatAppTemplate_400", "template: it is none that is approved for this chat app")
    return found


@transaction.atomic
def begin(
    *, member_id: str, contact: str, app: str, template: str, values: Mapping[str, str] | None = None
) -> Conversation:
    """Write to a contact first, by an approved template. Raises ContactNotFound_400, NoRecipientsSpecified_400 for one
    without a number, ChatAppNotFound_404, and the errors of `answer`."""
    found = live_contacts().filter(pk=contact).first()
    if found is None:
        raise NamedError("ContactNotFound_400", "contact: there is no such contact in this company")
    if not is_phone(found.contact_number):
        raise NamedError("NoRecipientsSpecified_400", "contact: has no number that a chat can go to")
    chat_app = get_app(app, "app")
    place = {"channel": Conversation.Channel.CHATAPP, "chat_app": chat_app, "address": found.contact_number}
    lead = lead_of(found, member_id)
    fresh = Conversation(
        state=CLOSED, contact=found, name=found.name[:200], lead=lead, team_id=lead.team_id if lead else None, **place
    )
    Conversation.objects.bulk_create([fresh], ignore_conflicts=True)
    conversation: Conversation = Conversation.objects.get(**place)
    if conversation.pk == fresh.pk:
        payload = {"contact": found.pk, "lead": conversation.lead_id, "channel": conversation.channel}
        emit("conversation.created", [conversation.pk], payloads={conversation.pk: payload}, actor_id=member_id)
    elif conversation.contact_id != found.pk:
        Conversation.objects.filter(pk=conversation.pk).update(contact=found)
    answer(id=conversation.pk, member_id=member_id, template=template, values=values)
    return conversation
