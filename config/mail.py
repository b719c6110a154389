"""Django's mail backend of a service without a mail server."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend


class NoServerBackend(BaseEmailBackend):
    """Refuses every mail, so that none counts as sent."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        raise ConnectionRefusedError("no mail server is set: EMAIL_URL")
