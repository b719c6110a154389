"""Make or check a backup (docs/operations.md)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError, CommandParser

from config.backup import creation, sealed
from config.backup.errors import BackupError
from config.backup.last import record_check
from core.types import JsonObject


class Command(BaseCommand):
    help = "Back up the database, the files of LEADWRIGHT_DATA and the secrets, while the service runs."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--to", type=Path, help="the folder of backups; default: LEADWRIGHT_DATA/backups")
        parser.add_argument("--without-secrets", action="store_true", help="you keep the secrets somewhere else")
        parser.add_argument("--keep", type=int, help="remove all but so many, the newest")
        parser.add_argument("--check", type=Path, metavar="BACKUP", help="compare a backup with its checksums")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["check"]:
                self._check(options["check"])
            else:
                self._make(options["to"] or settings.LEADWRIGHT_DATA / "backups", options)
        except BackupError as error:
            raise CommandError(str(error)) from error

    def _make(self, target: Path, options: JsonObject) -> None:
        phrase = "" if options["without_secrets"] else sealed.passphrase()
        if not (phrase or options["without_secrets"]):
            raise CommandError(
                "Set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, with which the secrets are encrypted, or say"
                " --without-secrets and keep them yourself: without them a backup's keys and passwords cannot be read."
            )
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("--keep takes a number from 1 on")
        backup = creation.make(target, words=phrase)
        self.stdout.write(f"{backup}")
        for old in creation.remove_old(target, keep=options["keep"]) if options["keep"] else ():
            self.stdout.write(f"removed {old}")

    def _check(self, backup: Path) -> None:
        manifest = creation.check(backup, words=sealed.passphrase())
        record_check(backup)
        size = sum(part.size for part in manifest.parts.values())
        self.stdout.write(
            f"{backup} is whole: of {manifest.made_at}, {sum(manifest.rows.values()):,} rows, {manifest.files:,} files,"
            f" {size:,} bytes, PostgreSQL {manifest.server}."
        )
