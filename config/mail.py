"""Where the service's own mails go: a real server by EMAIL_URL, the demo's catcher, or nowhere yet."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.core.mail.backends.smtp import EmailBackend

from config.local import mail_catcher as catcher


class CatcherBackend(EmailBackend):
    """To the demo's mail catcher, wherever it listens now."""

    def open(self) -> bool | None:
        found = catcher.address(settings.LEADWRIGHT_DATA)
        if found is None:
            raise ConnectionRefusedError("the mail catcher has not been started")
        self.host, self.port = found
        return super().open()


class NoServerBackend(BaseEmailBackend):
    """Refuses, so that nobody believes a mail was sent."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("no mail server is set: EMAIL_URL")
