"""Release the work that a hold has kept back (docs/operations.md)."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from core.hold.services import current_hold, end_hold
from core.jobs.due import names_on_hold
from outreach.messaging.delivery.sending.restored import mark_due_unknown


class Command(BaseCommand):
    help = "End the hold of a restored copy, so that whatever is due goes out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say what is due")
        parser.add_argument(
            "--sent-until",
            metavar="TIME",
            help="when the original stopped sending, such as 2026-01-31T09:30Z: messages that were due by then become"
            " unknown, for people to decide, instead of going out again",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        until = parse_datetime(options["sent_until"]) if options["sent_until"] else None
        if options["sent_until"] and (until is None or timezone.is_naive(until)):
            raise CommandError("--sent-until takes a time with its zone, such as 2026-01-31T09:30Z")
        hold = current_hold()
        if hold is None:
            self.stdout.write("Nothing is held.")
            return
        self.stdout.write(f"Held since {hold.since:%Y-%m-%d %H:%M:%S} UTC: {hold.reason}.")
        self.stdout.write(f"Due: {', '.join(names_on_hold()) or 'nothing'}.")
        if options["check"]:
            return
        if until is not None:
            self.stdout.write(f"Messages that the original may have sent, now unknown: {mark_due_unknown(until)}.")
        end_hold()
        self.stdout.write("Released. Workers begin within a second or two.")
