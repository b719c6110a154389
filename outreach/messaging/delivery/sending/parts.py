"""Parts of a sender's messages other than content: links to the company's host, tracked or not, and files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.utils import timezone

from accounts.models import Company
from core.tenancy import company_id
from crm.files.services import open_link as file_link
from outreach.connections.chat_apps.models import ChatApp
from outreach.connections.chat_apps.session import OutgoingChat
from outreach.connections.senders.models import Sender
from outreach.connections.smtp.message import OutgoingMail
from outreach.messaging.delivery.attachments import AttachmentReader
from outreach.messaging.delivery.models import SendJob
from outreach.messaging.delivery.settings.models import GenieSettings
from outreach.messaging.delivery.tracking.links import sent_html, with_tracking
from outreach.messaging.delivery.unsubscribing.tokens import Unsubscriber, link
from outreach.messaging.domain_tracking.hosts import base_for


class Tracking(NamedTuple):
    """Tracked visits of a message."""

    opens: bool
    clicks: bool


UNTRACKED = Tracking(opens=False, clicks=False)


class MailParts:
    """Makes the mails of a sender's messages. The company's settings and host are read once for many of them."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._base = base_for(sender.from_email)
        settings = GenieSettings.objects.first() or GenieSettings()
        self._opens: bool = settings.track_opens
        self._clicks: bool = settings.track_clicks
        self._personal_unsubscribe: bool = settings.personal_unsubscribe
        self._company_name = Company.objects.values_list("name", flat=True).get(pk=company_id())
        self._files = AttachmentReader()

    def prepare(self, jobs: Sequence[SendJob]) -> None:
        """Read the data for a batch of messages."""
        self._files.prepare(job.attachments for job in jobs)

    def mail_of(self, job: SendJob, recipient: str) -> OutgoingMail:
        """Return the message as it is sent. Raises AttachmentMissing and AttachmentUnavailable."""
        sender = self._sender
        # A member's own mail is no mailing: List-Id and List-Unsubscribe would sort it among newsletters.
        is_mailing = not job.personal or self._personal_unsubscribe
        return OutgoingMail(
            id=job.pk,
            from_name=sender.from_name,
            from_email=sender.from_email,
            reply_to=getattr(sender, "reply_to", "") or None,
            to_email=recipient,
            to_name=job.contact.name,
            subject=job.subject,
            text=job.text,
            html=self._html(job),
            date=timezone.now(),
            references=tuple(job.reference_ids.split()),
            thread_id=job.provider_thread_id,
            list_id=job.company_id if is_mailing else "",
            list_name=self._company_name,
            # Only campaigns: with this header, automatic replies and some filters treat a mail as mass mail.
            bulk=job.run is not None and job.run.campaign,
            # Each message has its own link, so that an unsubscribe names the message that led to it.
            unsubscribe_url=self._unsubscribe_url(job) if is_mailing else None,
            attachments=self._files.read(job.attachments),
        )

    def _unsubscribe_url(self, job: SendJob) -> str:
        return link(self._base, Unsubscriber(job.company_id, job.contact_id, job.pk))

    def tracking(self, job: SendJob) -> Tracking:
        """Return whether the message is sent with tracking of opens and clicks."""
        # The company's setting is the upper limit. A run can switch tracking off, never on.
        opens = self._opens and (job.run is None or job.run.track_opens)
        clicks = self._clicks and (job.run is None or job.run.track_clicks)
        return Tracking(opens, clicks)

    def _html(self, job: SendJob) -> str | None:
        opens, clicks = self.tracking(job)
        if not opens and not clicks:
            # The builder of mails makes the page from the text itself, as nothing has to be replaced in it.
            return job.html or None
        return with_tracking(sent_html(job.text, job.html), job.pk, self._base, opens=opens, clicks=clicks)


class ChatParts:
    """Builds the messages of a chat app from their rows and files."""

    def __init__(self) -> None:
        self._files = AttachmentReader()

    def prepare(self, jobs: Sequence[SendJob]) -> None:
        """Read the data for a batch of messages."""
        self._files.prepare(job.attachments for job in jobs)

    def mail_of(self, job: SendJob, recipient: str) -> OutgoingChat:
        """Return the message as it is sent. Raises AttachmentMissing and AttachmentUnavailable."""
        files = self._files.read(job.attachments)
        # Some chat platforms take a file only by an address that they fetch it from.
        links = [file_link(attachment["id"], attachment["name"]) for attachment in job.attachments]
        return OutgoingChat(job.pk, recipient, job.chat or {}, files, links)

    def tracking(self, job: SendJob) -> Tracking:
        """Return that the message has no tracking of its own: the vendor reports what was read."""
        return UNTRACKED


def parts_of(sender: Sender) -> MailParts | ChatParts:
    """Return the builder of a sender's messages."""
    return ChatParts() if isinstance(sender, ChatApp) else MailParts(sender)
