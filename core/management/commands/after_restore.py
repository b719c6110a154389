"""Make what depends on the numbers of transactions right after a restore from a dump (docs/operations.md)."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand
from django.db import transaction

from core.events.feed import begin_anew


class Command(BaseCommand):
    help = "To be run once after a database was restored from a dump, before the service starts."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            changed = begin_anew()
        self.stdout.write(f"Events that the feed shows again: {changed}. Readers begin without their old cursors.")
