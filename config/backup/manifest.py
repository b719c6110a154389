"""The manifest of a backup."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.backup.errors import BackupError
from core.tenancy import use_owner_role

NAME = "manifest.json"
DUMP = "database.dump"
FILES = "files.tar"
SECRETS = "secrets.sealed"
FORMAT = 1
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Part:
    """A file of the backup."""

    size: int
    sha256: str


@dataclass(slots=True)
class Manifest:
    """The parts of a backup, the versions that created it, and the data that a restore must restore."""

    made_at: str
    server: int
    tools: int
    migrations: list[str]
    rows: dict[str, int]
    files: int
    secrets: dict[str, list[str]]
    parts: dict[str, Part] = field(default_factory=dict)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it into the backup, safe from a power cut."""
        with open(folder / NAME, "x", opener=private) as file:
            json.dump(asdict(self), file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read a backup's manifest. Raises BackupError."""
        try:
            content = json.loads((folder / NAME).read_text())
            if content["format"] != FORMAT:
                raise BackupError(
                    f"{folder} is a backup of another format ({content['format']}); use a newer Leadwright"
                )
            content["parts"] = {name: Part(**part) for name, part in content["parts"].items()}
            return cls(**content)
        except (OSError, NotADirectoryError):
            raise BackupError(f"{folder} is no backup, or one that was cut off: it has no {NAME}") from None
        except (ValueError, KeyError, TypeError):
            raise BackupError(f"{folder / NAME} is damaged") from None

    def check_parts(self, folder: Path) -> None:
        """Compare each part with its size and checksum. Raises BackupError."""
        for name, part in self.parts.items():
            try:
                size = (folder / name).stat().st_size
                same = size == part.size and checksum(folder / name) == part.sha256
            except OSError as error:
                raise BackupError(f"{folder / name} cannot be read: {error.strerror}") from None
            if not same:
                raise BackupError(f"{folder / name} is damaged: its size or checksum is not the manifest's")


def private(path: str, flags: int) -> int:
    """Open a file that only its owner reads."""
    return os.open(path, flags, 0o600)


def checksum(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def migrations() -> tuple[list[str], set[str]]:
    """Return the names of the migrations that the database has, and of all that this code knows.

    It knows those of former foldings too (docs/decisions/0014), which databases still have recorded.
    """
    with use_owner_role():
        loader = MigrationLoader(connection)
    known_migrations = set(loader.disk_migrations)
    for migration in loader.disk_migrations.values():
        known_migrations.update(migration.replaces)
        known_migrations.update(getattr(migration, "replaced_before", []))
    return sorted(".".join(name) for name in loader.applied_migrations), {".".join(name) for name in known_migrations}
