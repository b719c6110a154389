"""Messages that workflows plan: approved templates, each once, regardless of the outcome of the step that plans it.

A message's id follows from the effect of the workflow's run, so that a repeated step recognizes its planned messages.
It is no answer: sending hours, unsubscribing and opting out apply to it as to all outreach.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from core.errors import NamedError
from core.jobs import notify_workers
from crm.models import Contact
from outreach.chat.chat_templates.services import get_template
from outreach.chat.chat_templates.values import fill, values_for
from outreach.chat.conversations.models import Conversation, ConversationMessage
from outreach.connections.chat_apps.models import ChatTemplate
from outreach.connections.chat_apps.selectors import is_phone, opted_out_numbers
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.deciding.reasons import Reason
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.numbers import next_occurrences
from outreach.messaging.email_templates.rendering import ValueReader

Author = ConversationMessage.Author
Status = SendJob.Status


@dataclass(frozen=True)
class PlannedChat:
    """A message that is to be planned."""

    id: str
    contact: Contact
    workflow_run: str
    values: Mapping[str, str]


def check_template(id: str) -> ChatTemplate:
    """Return an approved template of an active app. Raises ChatAppTemplateNotFound_404, InvalidChatAppTemplate_400."""
    template = get_template(id, "template")
    if template.status != ChatTemplate.Status.APPROVED:
        raise NamedError("InvalidChatAppTemplate_400", "the chat vendor has not approved it", field="template")
    if not template.app.is_active:
        raise NamedError("InvalidChatAppTemplate_400", "its chat app is switched off", field="template")
    return template


@transaction.atomic
def plan_templates(
    template: ChatTemplate, chats: Sequence[PlannedChat], *, member_id: str | None
) -> dict[str, tuple[str, str]]:
    """Plan messages, those that are planned already excepted. Returns id -> (status, reason) of all.

    One that must not go is written down with the reason.
    """
    rows = SendJob.objects.filter(pk__in=[chat.id for chat in chats]).order_by()
    states = {pk: (status, reason) for pk, status, reason in rows.values_list("pk", "status", "reason")}
    # A step that is taken again after a kill finds its messages by their ids.
    fresh = [chat for chat in chats if chat.id not in states]
    if not fresh:
        return states
    reader = ValueReader.load()
    reader.employers.read(chat.contact.organization_id for chat in fresh)
    now = timezone.now()
    # Takes the contacts' locks, so that two plans give no number twice.
    numbers = next_occurrences(chat.contact.pk for chat in fresh)
    gone = opted_out_numbers(chat.contact.contact_number for chat in fresh)
    jobs = []
    for chat in fresh:
        job = _message(template, chat, reader, gone)
        job.occurrence = numbers[chat.contact.pk]
        numbers[chat.contact.pk] += 1
        job.created_by_id = job.updated_by_id = job.approved_by_id = member_id
        job.approved_at = now
        jobs.append(job)
    SendJob.objects.bulk_create(jobs)
    ledger.record_planned([job.pk for job in jobs], actor_id=member_id)
    show_sent([job for job in jobs if job.status == Status.APPROVED])
    notify_workers("send")
    return states | {job.pk: (str(job.status), str(job.reason)) for job in jobs}


def _message(template: ChatTemplate, chat: PlannedChat, reader: ValueReader, gone: set[str]) -> SendJob:
    filled = fill(template, values_for(template, chat.contact, reader, chat.values))
    job = SendJob(
        id=chat.id,
        chat_app_id=template.app_id,
        chat_template=template,
        chat=dict(filled.content),
        contact=chat.contact,
        channel=SendJob.Channel.CHATAPP,
        workflow_run=chat.workflow_run,
        recipient=chat.contact.contact_number or "",
        text=filled.text,
        status=Status.APPROVED,
    )
    if not is_phone(chat.contact.contact_number):
        job.status = Status.FAILED
        job.reason = Reason.NO_VALID_ADDRESS
    elif chat.contact.unsubscribed_at is not None:
        job.status = Status.SUPPRESSED
        job.reason = Reason.UNSUBSCRIBED
    # Decided at planning, so that the workflow learns of it at once.
    elif job.recipient in gone:
        job.status = Status.SUPPRESSED
        job.reason = Reason.ADDRESS_SUPPRESSED
    elif filled.missing:
        job.status = Status.FAILED
        job.reason = "variable_missing"
    return job


def show_sent(jobs: Sequence[SendJob]) -> None:
    """Show messages from templates in their people's conversations, which are closed until a person answers.

    A snoozed or active conversation stays as it is, except for its last message.
    """
    for app in sorted({str(job.chat_app_id) for job in jobs}):
        _show(app, [job for job in jobs if job.chat_app_id == app])


def _show(app: str, jobs: Sequence[SendJob]) -> None:
    now, channel = timezone.now(), Conversation.Channel.CHATAPP
    by_number = {job.recipient: job for job in jobs}
    fresh = [
        Conversation(
            channel=channel,
            chat_app_id=app,
            contact_id=job.contact_id,
            address=number,
            name=job.contact.name[:200],
            state=Conversation.State.CLOSED,
            last_text=" ".join(job.text.split())[:200],
            last_message_at=job.sent_at or now,
        )
        for number, job in by_number.items()
    ]
    # A message of the person may create the conversation at the same moment.
    Conversation.objects.bulk_create(fresh, ignore_conflicts=True)
    # Locked in the order of ids: two plans for the same people never deadlock.
    rows = Conversation.objects.filter(channel=channel, chat_app_id=app, address__in=[*by_number]).order_by("pk")
    places = {row.address: row for row in rows.select_for_update(of=("self",), no_key=True)}
    for number, conversation in places.items():
        at = by_number[number].sent_at or now
        if conversation.last_message_at is None or conversation.last_message_at <= at:  # else it was answered since
            conversation.last_text = " ".join(by_number[number].text.split())[:200]
            conversation.last_message_at = at
    Conversation.objects.bulk_update(places.values(), ["last_text", "last_message_at"])
    ConversationMessage.objects.bulk_create(
        ConversationMessage(
            conversation=places[job.recipient],
            direction=ConversationMessage.Direction.OUT,
            author=Author.CAMPAIGN if job.run_id else Author.WORKFLOW,
            kind="template",
            text=job.text,
            send_job=job,
            happened_at=job.sent_at or now,
        )
        for job in jobs
        if job.recipient in places
    )
