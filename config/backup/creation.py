"""Make a backup, and check one."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import psycopg
from django.conf import settings
from psycopg import sql

from config.backup import sealed, tools
from config.backup.errors import BackupError
from config.backup.manifest import DUMP, FILES, SECRETS, Manifest, Part, migrations, private
from core.removals import TAKE_ALONE
from crm.files.storage import INCOMING

PREFIX, UNFINISHED = "leadwright-", ".unfinished"


def make(target: Path, *, words: str) -> Path:
    """Create a backup in the folder `target`, while the service runs. Returns its path.

    With the passphrase `words` the backup contains the secrets; without it, it does not. Raises BackupError.
    """
    server = tools.server_version()
    pg_tools = tools.find_tools(server)
    now = datetime.now(UTC)
    final = target / f"{PREFIX}{now:%Y%m%dT%H%M%SZ}"
    folder = final.with_name(final.name + UNFINISHED)
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700)
    except OSError as error:
        raise BackupError(f"{error.filename} cannot be made: {error.strerror}") from None
    secrets = sealed.current_secrets()
    try:
        with closing(tools.connect()) as connection, _without_removals(connection), connection.transaction():
            snapshot = _begin_snapshot(connection)
            manifest = Manifest(
                made_at=now.isoformat(timespec="seconds"),
                server=server,
                tools=pg_tools.version,
                migrations=migrations()[0],
                rows=count_rows(connection),
                files=0,
                secrets=sealed.fingerprints(secrets),
            )
            manifest.parts[DUMP] = _dump(pg_tools, folder / DUMP, snapshot)
            part, files = _copy_files(settings.LEADWRIGHT_DATA / "files", folder / FILES)
            manifest.parts[FILES] = part
            manifest.files = files
        if words:
            manifest.parts[SECRETS] = _write(folder / SECRETS, sealed.seal(secrets, words))
        manifest.write(folder)
        folder.rename(final)
        _sync_folder(target)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return final


@contextmanager
def _without_removals(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Prevent other processes from removing contents of files. The lock ends with the connection."""
    connection.execute(TAKE_ALONE)
    yield


def _begin_snapshot(connection: psycopg.Connection[Any]) -> str:
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    row = connection.execute("SELECT pg_export_snapshot()").fetchone()
    return str(row[0]) if row else ""


def count_rows(connection: psycopg.Connection[Any]) -> dict[str, int]:
    """Return the number of rows of each table."""
    tables = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"
    ).fetchall()
    counts = {}
    for (table,) in tables:
        row = connection.execute(sql.SQL("SELECT count(*) FROM public.{}").format(sql.Identifier(table))).fetchone()
        counts[table] = int(row[0]) if row else 0
    return counts


def _dump(pg_tools: tools.Tools, path: Path, snapshot: str) -> Part:
    command = [pg_tools.program("pg_dump"), "--format=custom", "--enable-row-security", f"--snapshot={snapshot}"]
    with open(path, "xb", opener=private) as file:
        digest = tools.run([*command, "--schema=public", "--no-owner", "--no-privileges"], target=file)
        return _end(file, digest)


def _end(file: IO[bytes], digest: str) -> Part:
    file.flush()
    os.fsync(file.fileno())
    return Part(file.tell(), digest)


def _write(path: Path, content: bytes) -> Part:
    with open(path, "xb", opener=private) as file:
        file.write(content)
        return _end(file, hashlib.sha256(content).hexdigest())


class _Hashing:
    """A file that hashes the written data."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        return self._file.write(data)


def _copy_files(source: Path, path: Path) -> tuple[Part, int]:
    """Copy the data folder's files into an archive, one after the other. Uploads in progress are left out."""
    number = 0
    with open(path, "xb", opener=private) as file:
        hashing: Any = _Hashing(file)
        with tarfile.open(fileobj=hashing, mode="w|", format=tarfile.PAX_FORMAT) as archive:
            for member in _files_of(source):
                archive.add(member, arcname=os.fspath(member.relative_to(source)), recursive=False)
                number += 1
        return _end(file, hashing.digest.hexdigest()), number


def _files_of(source: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders if name != INCOMING)
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check(backup: Path, *, words: str) -> Manifest:
    """Read all of a backup, and compare it with its manifest. Raises BackupError."""
    manifest = Manifest.read(backup)
    manifest.check_parts(backup)
    dump_contents = tools.run(
        [tools.find_tools(manifest.tools).program("pg_restore"), "--list", os.fspath(backup / DUMP)]
    )
    missing_tables = [table for table in manifest.rows if f" TABLE DATA public {table} " not in dump_contents]
    if missing_tables:
        raise BackupError(f"the dump lacks the rows of {', '.join(missing_tables[:5])}")
    with tarfile.open(backup / FILES, mode="r|") as archive:
        number = sum(1 for _ in archive)
    if number != manifest.files:
        raise BackupError(f"{FILES} has {number} files; the manifest says {manifest.files}")
    if words and SECRETS in manifest.parts:
        sealed.unseal((backup / SECRETS).read_bytes(), words)
    return manifest


def whole_backups(target: Path) -> list[Path]:
    """Return the paths of the folder's whole backups, the oldest first."""
    return sorted(path.parent for path in target.glob(f"{PREFIX}*/manifest.json") if path.parent.suffix != UNFINISHED)


def remove_old(target: Path, *, keep: int) -> list[Path]:
    """Remove whole backups but the newest `keep`. Returns their paths."""
    old = whole_backups(target)[:-keep]
    for path in old:
        shutil.rmtree(path)
    return old
