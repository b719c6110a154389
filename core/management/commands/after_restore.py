"""Make a database that was restored from a dump safe and right (docs/operations.md)."""

from __future__ import annotations

from typing import Any

from django.core.management import BaseCommand

from core.events.restored import repair_after_restore


class Command(BaseCommand):
    help = "To be run once after a database was restored from a dump, before the service starts. restore does it."

    def handle(self, *args: Any, **options: Any) -> None:
        done = repair_after_restore("Restored from a dump")
        self.stdout.write(f"Events that the feed shows again: {done.events}. Readers begin without their old cursors.")
        self.stdout.write(f"Work taken from workers of the original: {done.freed}.")
        self.stdout.write("Nothing goes out until manage.py release; manage.py release --check says what is due.")
