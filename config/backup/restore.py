"""Restore a backup into an empty database and the data folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.db import connections

from config.backup import sealed, tools
from config.backup.creation import count_rows
from config.backup.errors import BackupError
from config.backup.manifest import DUMP, FILES, SECRETS, Manifest, migrations
from core.tenancy.row_security import CREATE_ROLES

HOLD = "core_hold"
LEFT_OUT = re.compile(
    rf"\d+; \d+ \d+ (POLICY public|COMMENT public POLICY |ROW SECURITY public|TABLE DATA public {HOLD} "
    r"|SCHEMA - public|COMMENT - SCHEMA public)"
)
"""Parts that the restored database creates itself: policies name the login role, and it starts with its own hold."""


def restore(backup: Path, *, words: str, say: Callable[[str], object]) -> None:
    """Restore a backup. The database must be empty, and no other program may run on it.

    It is held before its first row exists, so that a service started too early sends nothing. Raises BackupError before
    any change if the backup, the secrets or the versions don't fit.
    """
    manifest = Manifest.read(backup)
    say("Comparing the backup with its checksums")
    manifest.check_parts(backup)
    server = tools.server_version()
    if server < manifest.server:
        raise BackupError(f"the backup is of PostgreSQL {manifest.server}, this server is {server}: use a newer one")
    _require_known(manifest)
    _require_empty()
    pg_tools = tools.find_tools(max(server, manifest.tools))
    secret_names = _secrets(backup, manifest, words)
    if secret_names:
        say(f"Secrets written below {settings.LEADWRIGHT_DATA / 'secrets'}: {', '.join(secret_names)}")
    say("Restoring the database")
    _restore_database(backup / DUMP, pg_tools, manifest)
    say(f"Restoring {manifest.files} files")
    _restore_files(backup / FILES)
    say("Bringing the database up to date")
    for command in (("migrate", "--verbosity", "0"), ("after_restore",)):
        _manage(*command, say=say)


def _manage(*arguments: str, say: Callable[[str], object]) -> None:
    """Run a command in a process of its own, which reads the restored secrets."""
    command = [sys.executable, os.fspath(settings.BASE_DIR / "manage.py"), *arguments]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)  # noqa: S603  our own
    if done.returncode:
        raise BackupError(f"manage.py {arguments[0]} failed: {done.stderr.strip()[-2000:]}")
    if done.stdout.strip():
        say(done.stdout.strip())


def _require_known(manifest: Manifest) -> None:
    unknown = sorted(set(manifest.migrations) - migrations()[1])
    ours = [
        name
        for name in unknown
        if name.partition(".")[0] in ("core", "accounts", "billing", "crm", "outreach", "workflows")
    ]
    if ours:
        raise BackupError(f"the backup was made by a newer version, which has {ours[-1]}: restore it by that version")


def _require_empty() -> None:
    with closing(tools.connect()) as connection:
        tables = connection.execute(
            "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchone()
    if tables and tables[0]:
        raise BackupError(
            f"the database has {tables[0]} tables: a backup is restored into an empty one, so that nothing is lost."
            " Make one and set DATABASE_URL, or choose an empty LEADWRIGHT_DATA"
        )


def _secrets(backup: Path, manifest: Manifest, phrase: str) -> list[str]:
    """Ensure that the data encrypted with the backup's secrets can be read. Returns the names of the written
    secrets."""
    missing_names = sealed.missing_secrets(manifest.secrets, sealed.current_secrets())
    if not missing_names:
        return []
    if SECRETS not in manifest.parts:
        raise BackupError(f"the backup has no secrets: set the {', '.join(missing_names)} that it was made with")
    if not phrase:
        raise BackupError(
            f"set {sealed.PASSPHRASE} (or {sealed.PASSPHRASE}_FILE) to what the backup was made with, or set the"
            f" {', '.join(missing_names)} that it was made with"
        )
    return sealed.restore_secrets(sealed.unseal((backup / SECRETS).read_bytes(), phrase), manifest.secrets)


def _restore_database(dump: Path, pg_tools: tools.Tools, manifest: Manifest) -> None:
    name = str(connections["default"].settings_dict["NAME"])
    base = [pg_tools.program("pg_restore"), f"--dbname={name}", "--exit-on-error", "--no-owner", "--no-privileges"]
    dump_contents = tools.run([pg_tools.program("pg_restore"), "--list", os.fspath(dump)])
    jobs = f"--jobs={min(4, os.cpu_count() or 1)}"
    with closing(tools.connect()) as connection, NamedTemporaryFile("w", suffix=".list") as list_file:
        list_file.write("\n".join(line for line in dump_contents.splitlines() if not LEFT_OUT.match(line)))
        list_file.flush()
        connection.execute(CREATE_ROLES)
        command = [*base, f"--use-list={list_file.name}"]
        tools.run([*command, "--section=pre-data", os.fspath(dump)])
        if HOLD in manifest.rows:
            connection.execute("INSERT INTO core_hold (id, since, reason) VALUES (1, now(), 'A restore is under way')")
        tools.run([*command, "--section=data", jobs, os.fspath(dump)])
        tools.run([*command, "--section=post-data", jobs, os.fspath(dump)])
        connection.execute("ANALYZE")
        there = count_rows(connection)
        wrong = [table for table, number in manifest.rows.items() if table != HOLD and there.get(table) != number]
        if wrong:
            raise BackupError(f"the restored database has other rows than the backup in {', '.join(wrong[:5])}")
        connection.execute("UPDATE core_hold SET reason = %s", [f"Restored from the backup of {manifest.made_at}"])


def _restore_files(archive_path: Path) -> None:
    target = settings.LEADWRIGHT_DATA / "files"
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tarfile.open(archive_path, mode="r|") as archive:
        archive.extractall(target, filter="data")
