"""The command that runs the demo's SMTP server."""

import asyncio
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.local.mail_catcher.server import serve


class Command(BaseCommand):
    """Catches mails on loopback until it is stopped. The page at /mails/ shows them."""

    help = "Run an SMTP server on loopback that keeps every mail under LEADWRIGHT_DATA/mails and sends none on."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the port. Without one the command takes a free port and notes it in LEADWRIGHT_DATA/mailcatcher.json."""
        parser.add_argument(
            "--smtp-port",
            type=int,
            default=None,
            help="listen on this port (default: the last one, else any that is free)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Serve until SIGINT or SIGTERM."""
        try:
            asyncio.run(serve(settings.LEADWRIGHT_DATA, port=options["smtp_port"], ready=self._say))
        except OSError as error:
            raise CommandError(
                f"The mail catcher can't listen on port {options['smtp_port']}: {error.strerror}."
            ) from error

    def _say(self, port: int) -> None:
        self.stdout.write(f"Mail catcher: SMTP on 127.0.0.1:{port}")
        self.stdout.flush()
