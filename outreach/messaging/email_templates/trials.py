"""Test mails of a template: a member sends them only to the company's own people, and not as outreach.

They are in no log of messages, count for no limit of a sender and have no link to unsubscribe.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from django.utils import timezone

from accounts.models import Company, Member
from core.access.attempts import Limit
from core.errors import NamedError, shorten
from core.ids import new_id
from core.tenancy import company_id
from core.types import Values
from outreach.connections.connected_apps.turns import connection_test_slot
from outreach.connections.mail_vendors.registry import CHANNELS
from outreach.connections.senders.models import Sender, Smtp
from outreach.connections.senders.services import TIMEOUTS
from outreach.connections.smtp.message import InvalidMail, OutgoingMail
from outreach.connections.smtp.outcome import Sent, SmtpError, Uncertain
from outreach.connections.smtp.parts import Attachment
from outreach.messaging.delivery.attachments import (
    GONE,
    AttachmentMissing,
    AttachmentReader,
    AttachmentUnavailable,
    describe_files,
)
from outreach.messaging.delivery.senders import choose_sender, open_session
from outreach.messaging.email_templates.rendering import Rendered
from outreach.messaging.email_templates.services import preview_template, preview_words

TRIALS = Limit("trial-mails", 20, 3600)
"""Mails of a member."""
TYPES = ("smtp", *CHANNELS)
FAILED = "EmailSendingFailed_500"
OTHERS: dict[str, Callable[..., Rendered]] = {}
"""Type of a test on another channel -> the function that sends it. The domain of the channel registers it."""


def send_trial(
    *,
    type: str,
    recipients: Sequence[str],
    template_id: str | None,
    words: Values,
    contact_id: str | None,
    smtp_id: str | None,
    attachments: Sequence[str],
    member_id: str,
) -> tuple[Rendered, Sequence[str]]:
    """Send a template, or unsaved content, to members of the company. Return the mail and its files.

    Raises UnsupportedCampaignType_400, and NoRecipientsSpecified_400 (also for addresses of nobody in the company).
    Raises NoSMTPSelected_400 or NoMailvendorXSelected_400, and FileNotFound_400 for an attachment. Raises
    EmailSendingFailed_500, TooManyAttempts and ConnectionTestRunning_429. Raises the errors of preview_template and
    preview_words.
    """
    if type not in TYPES:
        types = ", ".join((*TYPES, *OTHERS))
        raise NamedError("UnsupportedCampaignType_400", f"choose one of {types}, not {shorten(type)!r}", field="type")
    to = own_people(recipients)
    mail, files = _mail(template_id, words, contact_id, attachments)
    letter = "" if type == "smtp" else type[-1]
    sender = choose_sender(smtp_id, letter=letter, kinds=(Smtp,))
    for _ in to:
        TRIALS.count(member_id)
    with connection_test_slot():
        _send(sender, to, mail, _contents(files))
    return mail, files


def own_people(recipients: Sequence[str]) -> list[str]:
    """Return the addresses in small letters, each once. Raises NoRecipientsSpecified_400 for one of no member."""
    if not recipients:
        raise NamedError("NoRecipientsSpecified_400", "enter an email address", field="to")
    accepted = Member.objects.filter(status__in=(Member.Status.OWNER, Member.Status.ACCEPTED))
    emails = {email.lower() for email in accepted.values_list("user__email", flat=True)}
    to = list(dict.fromkeys(address.strip().lower() for address in recipients))
    for address in to:
        if address not in emails:
            raise NamedError(
                "NoRecipientsSpecified_400",
                f"enter the address of a member, not {shorten(address)}",
                field="to",
            )
    return to


def _mail(
    template_id: str | None, content: Values, contact_id: str | None, files: Sequence[str]
) -> tuple[Rendered, Sequence[str]]:
    if template_id is not None:
        template, mail = preview_template(id=template_id, contact_id=contact_id)
        return mail, template.attachments
    design = content.get("design")
    if not content.get("subject") or not (content.get("body") or design):
        detail = "give a template, or a subject and a body"
        raise NamedError("InvalidEmailTemplate_400", detail, field=("templateId", "subject", "body"))
    preview = preview_words(
        subject=content["subject"],
        body=content.get("body", ""),
        design=design,
        variables=content.get("variables", ()),
        contact_id=contact_id,
    )
    return preview[1], files


def _contents(files: Sequence[str]) -> tuple[Attachment, ...]:
    """Return the files with their contents. Raises FileNotFound_400, InvalidEmailTemplate_400."""
    reader, entries = AttachmentReader(), describe_files(files)
    reader.prepare([entries])
    try:
        return reader.read(entries)
    except (AttachmentMissing, AttachmentUnavailable) as error:
        raise NamedError(GONE, str(error), field="attachments") from None


def _send(sender: Sender, to: Sequence[str], mail: Rendered, files: tuple[Attachment, ...]) -> None:
    try:
        company = Company.objects.get(pk=company_id())
        with closing(open_session(sender, timeouts=TIMEOUTS)) as session:
            for address in to:
                outcome = session.deliver(_test_mail(sender, company, address, mail, files), lambda: None)
                if not isinstance(outcome, Sent):
                    said = outcome.reason if isinstance(outcome, Uncertain) else outcome.reply
                    raise NamedError(FAILED, f"{address}: {said}", field="to")
    except SmtpError as error:
        raise NamedError(FAILED, error.detail) from None
    except InvalidMail as error:
        raise NamedError("InvalidEmailTemplate_400", str(error)) from None


def _test_mail(
    sender: Sender, company: Company, address: str, mail: Rendered, files: tuple[Attachment, ...]
) -> OutgoingMail:
    return OutgoingMail(
        id=new_id(),
        from_name=sender.from_name,
        from_email=sender.from_email,
        to_email=address,
        subject=f"[Test] {mail.subject}",
        text=mail.text,
        html=mail.html or None,
        date=timezone.now(),
        list_id=company.pk,
        list_name=company.name,
        attachments=files,
    )
