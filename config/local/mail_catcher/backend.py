"""Django's mail backend of the demo."""

from __future__ import annotations

from django.conf import settings
from django.core.mail.backends.smtp import EmailBackend

from config.local import mail_catcher


def current_address() -> tuple[str, int] | None:
    """Return host and port of the catcher now, or None before it was started."""
    return mail_catcher.address(settings.LEADWRIGHT_DATA)


class CatcherBackend(EmailBackend):
    """Sends to the mail catcher, at the address that it listens on now."""

    def open(self) -> bool | None:
        address = current_address()
        if address is None:
            raise ConnectionRefusedError("the mail catcher has not been started")
        host, port = address
        self.host = host
        self.port = port
        return super().open()
