"""Restore a backup into an empty database (docs/operations.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError, CommandParser

from config.backup import restore, sealed
from config.backup.errors import BackupError


class Command(BaseCommand):
    help = "Restore a backup into an empty database and LEADWRIGHT_DATA. Nothing goes out until manage.py release."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("backup", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            restore.restore(options["backup"], words=sealed.passphrase(), say=self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from error
