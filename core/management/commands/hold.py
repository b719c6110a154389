"""Hold all actions that reach others (docs/operations.md)."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand, CommandParser

from core.hold.services import begin_hold


class Command(BaseCommand):
    help = "Let nothing go out from now on: messages, mails, webhooks, calls, charges. What is under way ends."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--reason", default="An operator holds it", help="what the back office says")

    def handle(self, *args: Any, **options: Any) -> None:
        hold = begin_hold(options["reason"])
        self.stdout.write(f"Held since {hold.since:%Y-%m-%d %H:%M:%S} UTC: {hold.reason}. manage.py release ends it.")
