"""Send a quote by email: with the PDF attached, and the link to its public page."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.settings.branding import mail_brand_of
from accounts.settings.formats import formats_of
from core.errors import NamedError
from core.ids import is_id
from core.text.formats import money_text
from core.types import JsonObject
from crm.files.models import File
from crm.files.services import store_uploads
from crm.files.storage import Received
from outreach.messaging.personal_mail.models import PersonalMail
from outreach.messaging.personal_mail.services import write_mail
from outreach.site.quotes.documents import file_name, quote_pdf
from outreach.site.quotes.models import Quote
from outreach.site.quotes.selectors import live_quotes
from outreach.site.quotes.services import FIXED, locked_quote, not_found, tell
from outreach.site.quotes.tokens import address_of

Status = Quote.Status
LINK = "{{quote.link}}"
"""The place of the link in a text; a text without it ends with the link."""


class _SentAlready(Exception):
    """The message of the key is there already."""


@dataclass(frozen=True, kw_only=True)
class Mail:
    """The email of a quote as a request describes it. Empty subject and text are the usual ones."""

    to: JsonObject | None = None
    smtp: str | None = None
    mail_app: str | None = None
    subject: str = ""
    text: str = ""
    key: str = ""
    """A further request with the key sends nothing. Without a key a quote goes once."""


def send_quote(*, id: str, actor_id: str, mail: Mail, automation: bool = True) -> None:
    """Send a quote by email to its contact, and make a draft sent. The same key sends once.

    Raises QuoteNotFound_404, and QuoteCannotBeUpdated_400 for a quote that is answered, expired, replaced or without
    lines. Raises the errors of write_mail and store_uploads.
    """
    quote = live_quotes().select_related("contact", "lead__organization").filter(pk=id).first()
    if quote is None:
        raise not_found()
    # The key of the message makes a repeated request find the first one.
    key = f"quote-{quote.pk}-{mail.key}"[:64]
    if PersonalMail.objects.filter(key=key).exists():
        return
    _check_sendable(quote)
    # Sent again as it was: the customer must not get another PDF under the same number.
    if quote.pdf_id and File.objects.filter(pk=quote.pdf_id, is_deleted=False, trashed_at=None).exists():
        with suppress(_SentAlready), transaction.atomic():
            _send(quote, quote.pdf_id, actor_id, mail, key, automation)
        return
    # The content is written outside of any transaction: it may go to a bucket. The row of the file becomes visible
    # together with the message, or neither does.
    quote.sent_at = quote.sent_at or timezone.now()
    content = quote_pdf(quote)
    with Received(file_name(quote)) as upload:
        upload.append(content)
        upload.complete()

        def send(files: list[File]) -> None:
            _send(quote, files[0].pk, actor_id, mail, key, automation)

        # A request at the same time was faster; the PDF of this one is no file.
        with suppress(_SentAlready):
            store_uploads(uploads=[upload], member_id=actor_id, read_module="lead", and_then=send)


def mark_sent(*, id: str, actor_id: str, automation: bool = True) -> None:
    """Make a draft sent that reaches the customer in another way. Raises the errors of send_quote for the quote."""
    with transaction.atomic():
        quote = locked_quote(id)
        _check_sendable(quote)
        _mark_sent(quote, actor_id, automation)


def usual_subject(quote: Quote) -> str:
    """Return the subject of a quote's email."""
    brand = mail_brand_of(quote.company_id)
    return _("Quote %(number)s from %(company)s") % {"number": quote.label, "company": brand.name}


def usual_text(quote: Quote) -> str:
    """Return the text of a quote's email."""
    total = money_text(quote.total, quote.currency)
    date = formats_of(quote.company_id).date(quote.valid_until)
    return _(
        "Hello,\n\nhere is our quote %(number)s for %(total)s. It is valid until %(date)s.\n\n"
        "You can read, accept or decline it here:\n%(link)s\n\nThe quote is also attached as a PDF."
    ) % {"number": quote.label, "total": total, "date": date, "link": LINK}


def _check_sendable(quote: Quote) -> None:
    if quote.replaced_by_id:
        raise NamedError(FIXED, "it has a newer version", field="id")
    if quote.status not in (Status.DRAFT, Status.SENT, Status.VIEWED):
        raise NamedError(FIXED, f"the quote is {quote.status}", field="id")
    if not quote.lines:
        raise NamedError(FIXED, "add a line first", field="lines")
    if quote.valid_until < timezone.now():
        raise NamedError(FIXED, "choose a later day; this one is over", field="validUntil")


def _send(quote: Quote, file_id: str, actor_id: str, mail: Mail, key: str, automation: bool) -> None:
    """Write the message and mark the quote as sent, in the caller's transaction."""
    # Read again under the lock: the PDF was made from the row as it was before.
    current = locked_quote(quote.pk)
    if PersonalMail.objects.filter(key=key).exists():
        raise _SentAlready
    _check_sendable(current)
    # The attached PDF would say something else than the public page.
    if current.updated_at != quote.updated_at:
        raise NamedError("RecordChanged_409", "the quote has just been changed; send it again", field="id")
    # The link goes in last, so that previews and drafts never hold a working one.
    link = address_of(quote.company_id, quote.pk)
    text = mail.text or usual_text(quote)
    text = text.replace(LINK, link) if LINK in text else f"{text.rstrip()}\n\n{link}"
    senders: JsonObject = {name: id for name, id in (("smtp", mail.smtp), ("mail_app", mail.mail_app)) if is_id(id)}
    mail_id = write_mail(
        member_id=actor_id,
        to=mail.to or {"kind": "lead", "id": quote.lead_id},
        key=key,
        subject=mail.subject or usual_subject(quote),
        text=text,
        attachments=[file_id],
        **senders,
    )
    current.pdf_id = file_id
    current.mail_id = mail_id
    _mark_sent(current, actor_id, automation)


def _mark_sent(quote: Quote, actor_id: str, automation: bool) -> None:
    was_draft = quote.status == Status.DRAFT
    if was_draft:
        quote.status = Status.SENT
        quote.sent_at = timezone.now()
    quote.updated_by_id = actor_id
    quote.save()
    tell("sent", [quote], actor_id, automation=automation, details={quote.pk: {"again": not was_draft}})
