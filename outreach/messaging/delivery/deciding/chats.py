"""Inputs of the decision about chats, answers and members' own mails that differ from those of outreach."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from core.types import JsonObject
from crm.models import Contact
from outreach.connections.chat_apps.models import DIRECT, ChatTemplate
from outreach.connections.chat_apps.selectors import is_phone, opted_out_numbers
from outreach.messaging.delivery.deciding.decision import SESSION_HOURS
from outreach.messaging.delivery.models import SendJob

# WhatsApp allows free text for 24 hours after the person's last message, and templates alone after that.
SESSION = dt.timedelta(hours=SESSION_HOURS)
ANSWER: JsonObject = {"window": None, "place": None, "unsubscribed": False}
"""An answer in a conversation is sent at any hour, regardless of the contact's unsubscription from mail."""
PERSONAL: JsonObject = {"window": None, "place": None, "replied": False}
"""A member's own mail goes at its chosen time, even if the contact has written since."""
# Far in the past, so that a chat in which the person has never written counts as closed.
NEVER = dt.datetime.min.replace(tzinfo=dt.UTC) + SESSION


def chats_of(jobs: Sequence[SendJob]) -> dict[str, JsonObject]:
    """Return the parts of the decision's input of those messages that go by chat, are said in a conversation or are a
    member's own, by their ids. Asks the database only if there are any by chat.

    What is made of a template does not go to a number that has opted out.
    """
    mails = {job.pk: PERSONAL for job in jobs if job.personal}
    mails |= {job.pk: ANSWER for job in jobs if job.conversation_id is not None and not job.chat_app_id}
    chat_jobs = [job for job in jobs if job.chat_app_id]
    if not chat_jobs:
        return mails
    gone = opted_out_numbers(job.address for job in chat_jobs if job.chat_template_id)
    rows = SendJob.objects.filter(pk__in=[job.pk for job in chat_jobs])
    values = rows.values_list("pk", "chat_template__status", "conversation__last_inbound_at", "conversation__address")
    state = {pk: rest for pk, *rest in values}
    return mails | {job.pk: _parts(job, gone, *state.get(job.pk, (None, None, None))) for job in chat_jobs}


def by_chat(contacts: Iterable[Contact]) -> dict[str, JsonObject]:
    """Return the inputs of the decision about a new message from a template, by the contacts' ids."""
    contacts = list(contacts)
    gone = opted_out_numbers(contact.contact_number for contact in contacts)
    return {
        contact.pk: {"suppressed": contact.contact_number in gone, "address_valid": is_phone(contact.contact_number)}
        for contact in contacts
    }


def _parts(
    job: SendJob, gone: set[str], status: str | None, last: dt.datetime | None, wrote_from: str | None
) -> JsonObject:
    # A reply goes to the number that wrote, even if the contact's number has changed.
    same = wrote_from in (None, job.address)
    valid = same and (job.channel in DIRECT or is_phone(job.address))
    parts: JsonObject = {"suppressed": job.address in gone, "address_valid": valid}
    if job.conversation_id is not None:
        parts |= ANSWER
    if job.chat_template_id is not None:
        parts["template_approved"] = status == ChatTemplate.Status.APPROVED
    # The website's own chat has no such rule.
    elif job.channel != SendJob.Channel.MESSENGER:
        parts["session_ends_at"] = last + SESSION if last else NEVER
    return parts
