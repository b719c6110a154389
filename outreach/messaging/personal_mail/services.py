"""Use cases of the mails that members write to one person: write, keep as a draft, send, take back.

A mail that is sent or scheduled becomes a message (SendJob), which the sending process delivers as all others. Only a
message that no worker has claimed is taken back or replaced.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.access.quota import lock_company
from core.errors import NamedError, ValidationFailed
from core.ids import new_id
from core.jobs import notify_workers
from core.lists import BulkSelection, in_batches
from core.types import JsonObject
from crm.contacts.selectors import live_contacts
from crm.leads.selectors import live_leads
from crm.models import Contact
from outreach.connections.senders.models import Sender, Smtp
from outreach.connections.smtp.markup import MAX_DEPTH, depth_of
from outreach.messaging.delivery import ledger
from outreach.messaging.delivery.attachments import describe_files
from outreach.messaging.delivery.deciding.context import SendContext
from outreach.messaging.delivery.deciding.decision import Stop, decide
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.numbers import next_occurrences
from outreach.messaging.delivery.privacy import not_erased
from outreach.messaging.delivery.senders import choose_sender, columns_of
from outreach.messaging.email_templates.compiler import is_html
from outreach.messaging.email_templates.rendering import Rendered
from outreach.messaging.email_templates.services import get_template
from outreach.messaging.inbox.models import InboundMessage
from outreach.messaging.personal_mail.content import check_sendable, render_mail, thread_of
from outreach.messaging.personal_mail.models import PersonalMail
from outreach.messaging.personal_mail.selectors import ENDED, TAKEN_BACK, WAITING, own_and_sent
from outreach.messaging.suppression.selectors import suppressed_addresses

NOT_FOUND = "NotFound_404"
FIXED = "CampaignCannotBeUpdated_400"
REFUSED = "NoMessagesSent_400"
MAX_AHEAD = timedelta(days=366)
"""Maximum time until a scheduled mail."""


def not_found() -> NamedError:
    """Return the error for an id that belongs to no mail that the member sees."""
    return NamedError(NOT_FOUND, "there is no such mail in this company", field="id")


@transaction.atomic
def write_mail(
    *,
    member_id: str,
    to: JsonObject,
    key: str | None = None,
    draft: bool = False,
    delay_seconds: int = 0,
    **values: Any,
) -> str:
    """Write a mail to one person, and send it unless it is a `draft`. Returns its id.

    It goes at `send_at`, and not within `delay_seconds`. The draft that has the `key` is changed instead, and a mail
    that has it and is no draft stays as it is. Raises ContactNotFound_400, LeadNotFound_400,
    EmailTemplateNotFound_404, FileNotFound_400, NotFound_404 for `in_reply_to`, and ValidationFailed. To send it also
    raises the errors of `_send`.
    """
    mail = _of_key(key, member_id) if key else None
    if mail is not None and mail.send_job_id is not None:
        return str(mail.pk)
    if mail is None:
        mail = PersonalMail(created_by_id=member_id, key=key)
    mail.updated_by_id = member_id
    _apply(mail, {"to": to, **values})
    mail.save()
    if not draft:
        _send(mail, member_id, delay_seconds)
    return str(mail.pk)


def _of_key(key: str, member_id: str) -> PersonalMail | None:
    """Return the mail that has the key, or the id, locked until the transaction ends.

    A form that keeps its draft and sends it makes two requests, which may arrive together and in any order: the second
    waits for the first, and finds its mail.
    """
    lock_company(f"message:{key}")
    rows = PersonalMail.objects.select_for_update(of=("self",)).filter(Q(key=key) | Q(pk=key))
    mail = rows.first()
    if mail is not None and mail.created_by_id != member_id:
        raise NamedError("InvalidPayload_400", "another member's email has it", field="key")
    return mail


@transaction.atomic
def change_mail(*, id: str, member_id: str, draft: bool | None = None, delay_seconds: int = 0, **values: Any) -> None:
    """Change a mail that has not gone, and send it where `draft` is false, or is not given and it was to go.

    Raises NotFound_404, CampaignCannotBeUpdated_400 for one that goes or has gone, and the errors of `write_mail`.
    """
    mail = _lock_mail(id, member_id)
    was_to_go = mail.send_job is not None and mail.send_job.status in WAITING
    _take_back(mail, member_id)
    mail.updated_by_id = member_id
    _apply(mail, values)
    mail.save()
    if not (draft if draft is not None else not was_to_go):
        _send(mail, member_id, delay_seconds)


@transaction.atomic
def delete_mail(*, id: str, member_id: str) -> None:
    """Delete a draft, or a mail that waits, which does not go then.

    Raises NotFound_404, and CampaignCannotBeUpdated_400 for one that goes or has gone.
    """
    mail = _lock_mail(id, member_id)
    _take_back(mail, member_id)
    mail.delete()


def preview_mail(*, to: JsonObject, **values: Any) -> Rendered:
    """Return an unsaved mail as its recipient would get it. Raises the errors of `write_mail`, but for the sender's."""
    mail = PersonalMail()
    _apply(
        mail, {"to": to, **{name: value for name, value in values.items() if name not in ("draft", "delay_seconds")}}
    )
    return render_mail(mail, mail.contact)


def delete_drafts(*, member_id: str, selection: BulkSelection) -> int:
    """Delete the selected drafts of a member; what is no draft stays. Returns how many were deleted.

    Raises NotFound_404 when ids name none.
    """
    deleted = 0
    drafts = PersonalMail.objects.filter(created_by_id=member_id, send_job=None)
    for ids in in_batches(selection.apply(drafts), lock=True):
        deleted += drafts.filter(pk__in=ids).delete()[0]
    if not deleted and not selection.everything:
        raise NamedError(NOT_FOUND, "none of them is a draft of yours", field="ids")
    return deleted


def _lock_mail(id: str, member_id: str) -> PersonalMail:
    """Return the mail, locked until the transaction ends."""
    rows = own_and_sent(member_id).select_for_update(of=("self",))
    mail = rows.filter(pk=id).first()
    if mail is None:
        raise not_found()
    return mail


def _take_back(mail: PersonalMail, member_id: str) -> None:
    """Make a draft of the mail. Its message does not go."""
    if mail.send_job_id is None:
        return
    # A worker that claims messages passes over locked rows, so that nobody sends it from here on.
    job = SendJob.objects.select_for_update(of=("self",)).only("status").get(pk=mail.send_job_id)
    if job.status not in (*WAITING, *ENDED):
        raise NamedError(FIXED, f"the mail is {job.status}", field="id")
    waiting = SendJob.objects.filter(pk=job.pk, status__in=WAITING)
    ledger.transition_all(
        waiting, to=SendJob.Status.CANCELLED, reason=TAKEN_BACK, actor_id=member_id, updated_by_id=member_id
    )
    mail.send_job = None
    # Drafts are seen by their writers alone: it becomes one of who has taken it back.
    mail.created_by_id = member_id


def _apply(mail: PersonalMail, values: JsonObject) -> None:
    """Set the given values of a mail."""
    if "to" in values:
        _set_recipient(mail, **values["to"])
    if "in_reply_to" in values:
        _join_thread(mail, values["in_reply_to"])
    _set_sender(mail, values)
    for name in ("subject", "text", "html", "signature", "send_at"):
        if name in values:
            setattr(mail, name, values[name])
    if depth_of(mail.signature) > MAX_DEPTH:
        raise NamedError("InvalidPayload_400", f"has more than {MAX_DEPTH} tags within each other", field="signature")
    if "template" in values:
        _apply_template(mail, values["template"], given=values.keys())
    if "attachments" in values:
        mail.attachments = values["attachments"]
    if mail.attachments:
        mail.attachments = [file["id"] for file in describe_files(mail.attachments, unfit="InvalidPayload_400")]
    if not mail.subject:
        mail.subject = thread_of(mail).subject


def _set_recipient(mail: PersonalMail, kind: str, id: str) -> None:
    """Set the person: a contact, or the contact of a lead."""
    lead = live_leads().filter(pk=id).first() if kind == "lead" else None
    if kind == "lead" and lead is None:
        raise NamedError("LeadNotFound_400", f"there is no lead {id} in this company", field="to")
    contact = live_contacts().filter(pk=lead.contact_id if lead else id).first()
    if contact is None:
        raise NamedError("ContactNotFound_400", f"there is no contact {id} in this company", field="to")
    mail.lead = lead
    if mail.contact_id not in (None, contact.pk):
        # The thread was another person's.
        mail.answers_mail = None
        mail.answers_message = None
    mail.contact = contact


def _join_thread(mail: PersonalMail, id: str | None) -> None:
    """Continue the thread of a received mail, or of a sent message, of the same contact."""
    received = InboundMessage.objects.filter(pk=id, contact_id=mail.contact_id).first() if id else None
    sent = None
    if id and received is None:
        sent = SendJob.objects.filter(pk=id, contact_id=mail.contact_id, chat_app=None).exclude(message_id="").first()
        if sent is None:
            raise NamedError(NOT_FOUND, "this contact has neither sent nor got such a mail", field="inReplyTo")
    mail.answers_mail = received
    mail.answers_message = sent


def _set_sender(mail: PersonalMail, values: JsonObject) -> None:
    """Set the given sender; of a reply the one that the person has written to."""
    given = [values[name] for name in ("smtp", "mail_app") if values.get(name)]
    if len(given) > 1:
        raise ValidationFailed("smtp, mailApp: there is one sender", "choose a sender", field=("smtp", "mailApp"))
    if given:
        _use_sender(mail, choose_sender(given[0]))
    elif "smtp" in values or "mail_app" in values:
        mail.smtp = mail.mail_app = None


def _use_sender(mail: PersonalMail, sender: Sender) -> None:
    mail.smtp = sender if isinstance(sender, Smtp) else None
    mail.mail_app = None if isinstance(sender, Smtp) else sender


def _usual_sender(mail: PersonalMail) -> Sender:
    """Return the sender of a mail that names none: that of its thread if it may send, else the oldest that works."""
    before = mail.answers_mail or mail.answers_message
    sent = before.send_job if isinstance(before, InboundMessage) else before
    theirs = before.smtp if isinstance(before, InboundMessage) else None
    sender: Sender | None = theirs or (sent.sender if sent else None)
    return sender if sender is not None and sender.is_active else choose_sender(None)


def _apply_template(mail: PersonalMail, id: str | None, given: Any) -> None:
    """Take the words and files of a template that the caller has not given."""
    mail.template = get_template(id, "template") if id else None
    if mail.template is None:
        return
    if "subject" not in given:
        mail.subject = mail.template.subject
    if "html" not in given and "text" not in given:
        in_html = is_html(mail.template.body)
        mail.html = mail.template.body if in_html else ""
        mail.text = "" if in_html else mail.template.body
    if "attachments" not in given:
        mail.attachments = list(mail.template.attachments)


def _send(mail: PersonalMail, member_id: str, delay_seconds: int) -> None:
    """Make the message of a mail, which goes when its time has come.

    Raises NoMessagesSent_400 with the reason's code for a person to whom nothing may go, and NoSMTPSelected_400. Raises
    InvalidPayload_400, InvalidVariables_400, InvalidEmailTemplate_400 and ValidationFailed for words and time.
    """
    now = timezone.now()
    if mail.send_at is not None and mail.send_at > now + MAX_AHEAD:
        raise ValidationFailed("sendAt is too late", f"choose a time within {MAX_AHEAD.days} days", field="sendAt")
    contact = mail.contact
    _check_may_get(contact)
    sender = mail.sender or _usual_sender(mail)
    if not sender.is_active:
        raise NamedError("NoSMTPSelected_400", "choose another sender; this one is off", field="smtp")
    _use_sender(mail, sender)
    words = render_mail(mail, contact)
    check_sendable(words)
    thread = thread_of(mail)
    job = SendJob(
        id=new_id(),
        personal=True,
        contact=contact,
        channel=sender.app_key,
        **columns_of(sender),
        occurrence=next_occurrences([contact.pk], sender.app_key)[contact.pk],
        recipient=contact.email or "",
        subject=words.subject,
        text=words.text,
        html=words.html,
        attachments=describe_files(mail.attachments, unfit="InvalidPayload_400"),
        reference_ids=thread.references,
        provider_thread_id=thread.vendor_id,
        status=SendJob.Status.APPROVED,
        due_at=max(mail.send_at or now, now + timedelta(seconds=delay_seconds)),
        approved_at=now,
        approved_by_id=member_id,
        created_by_id=member_id,
        updated_by_id=member_id,
    )
    job.save(force_insert=True)
    ledger.record_planned([job.pk], actor_id=member_id)
    mail.send_job = job
    mail.save()
    if mail.answers_mail_id:
        InboundMessage.objects.filter(pk=mail.answers_mail_id, read_at=None).update(read_at=now, updated_at=now)
    # Within the transaction: the notice leaves after the commit (core.jobs).
    notify_workers("send")


def _check_may_get(contact: Contact) -> None:
    """Raise NoMessagesSent_400 for a contact to whom no mail may go."""
    if not not_erased([contact.pk]):
        raise NamedError("ContactNotFound_400", "the contact's data were erased", field="to")
    now = timezone.now()
    suppressed = bool(suppressed_addresses([contact.email]))
    decision = decide(SendContext.load().decision_input(contact, suppressed=suppressed, now=now), now)
    if isinstance(decision, Stop):
        raise NamedError(REFUSED, decision.sentence, field="to", code=str(decision.reason))
