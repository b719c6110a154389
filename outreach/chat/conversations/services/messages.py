"""Notes, answers and first messages of members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError
from core.types import JsonObject, Values
from crm.contacts.selectors import live_contacts
from crm.files.models import File
from outreach.chat.chat_templates.services import get_template
from outreach.chat.chat_templates.values import check_values, fill, values_for
from outreach.chat.conversations.channels import channel_of
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.chat.conversations.outgoing import CLOSED as NOT_SENT
from outreach.chat.conversations.outgoing import check_open, check_reachable, send
from outreach.chat.conversations.people import lead_of
from outreach.chat.conversations.services.assignment import assign_to
from outreach.chat.conversations.services.rows import emit_action, lock_conversation, mark_mail_read
from outreach.chat.conversations.states import CLOSED
from outreach.chat.conversations.targets import mark_answered, save_with_target
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.chat_apps.selectors import is_phone
from outreach.connections.chat_apps.services import get_app
from outreach.messaging.delivery.attachments import describe_files
from outreach.messaging.email_templates.rendering import ValueReader

Author = ConversationMessage.Author
Direction = ConversationMessage.Direction


@transaction.atomic
def add_note(*, id: str, member_id: str, text: str) -> ConversationMessage:
    """Write a note, which members alone see. Raises NotFound_404."""
    conversation = lock_conversation(id)
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
def send_answer(
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
    conversation = lock_conversation(id)
    # Before the member takes it: a refused answer must not change who has the conversation.
    check_reachable(conversation, template=template is not None)
    files: Sequence[Values] = ()
    if file is not None:
        check_open(conversation)
        files = describe_files([file], "file", unfit=NOT_SENT)
        content, chat_template = (
            channel_of(conversation).file_content(conversation, File.objects.get(pk=file), text),
            None,
        )
    elif template is None:
        check_open(conversation)
        content, chat_template = channel_of(conversation).content(conversation, text), None
    else:
        chat_template = _approved_template(template, conversation)
        check_values(chat_template, values or {})
        if conversation.contact is None:
            raise RuntimeError("a conversation by a chat app has no contact")
        filled = fill(chat_template, values_for(chat_template, conversation.contact, ValueReader.load(), values))
        if filled.missing:
            raise NamedError(
                "InvalidVariables_400", "has no value for this contact", field=f"values.{filled.missing[0]}"
            )
        content, text = dict(filled.content), filled.text
    assign_to(conversation, member_id, None)
    said: JsonObject = {"content": content, "text": text, "template": chat_template, "files": files}
    message = send(conversation, author=Author.MEMBER, member_id=member_id, **said)
    conversation.unread = 0
    mark_mail_read(conversation.pk)
    mark_answered(conversation)
    save_with_target(conversation)
    emit_action("answered", conversation, member_id, message=message.pk)
    return message


def _approved_template(id: str, conversation: Conversation) -> ChatTemplate:
    chat_template = get_template(id, "template")
    if chat_template.app_id != conversation.chat_app_id or chat_template.status != ChatTemplate.Status.APPROVED:
        raise NamedError("InvalidChatAppTemplate_400", "choose an approved template of this chat app", field="template")
    return chat_template


@transaction.atomic
def begin(
    *, member_id: str, contact: str, app: str, template: str, values: Mapping[str, str] | None = None
) -> Conversation:
    """Write to a contact first, by an approved template. Raises ContactNotFound_400, NoRecipientsSpecified_400 for one
    without a number, ChatAppNotFound_404, and the errors of `send_answer`."""
    recipient = live_contacts().filter(pk=contact).first()
    if recipient is None:
        raise NamedError("ContactNotFound_400", "there is no such contact in this company", field="contact")
    if not is_phone(recipient.contact_number):
        raise NamedError("NoRecipientsSpecified_400", "choose a contact with a phone number", field="contact")
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
        emit_action("created", conversation, member_id)
    elif conversation.contact_id != recipient.pk:
        Conversation.objects.filter(pk=conversation.pk).update(contact=recipient)
    send_answer(id=conversation.pk, member_id=member_id, template=template, values=values)
    return conversation
